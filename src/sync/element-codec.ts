import type { Entry } from '../contract/entry.ts'
import type { KeyMissing } from './encryption/key-missing.ts'

/** How entries become elements of a document, and back. In the clear they are pairs of head and data; under encryption all of it is sealed. */
export interface ElementCodec {
  /** The same entry gives the same content on every device and each time, or the projection would be another one. */
  readonly write: (entry: Entry) => unknown
  /** The entry, what is wrong with it, or that its key is not here: then it is to be asked for again once the key is. Neither throws nor rejects. */
  readonly read: (w: number, s: number, content: unknown) => Entry | KeyMissing | string | Promise<Entry | KeyMissing | string>
}
