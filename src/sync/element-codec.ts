import type { Entry } from '../contract/entry.ts'

/** How entries become elements of a document, and back. In the clear it is the tuple itself; under encryption all of it is sealed. */
export interface ElementCodec {
  /** The same entry gives the same content on every device and each time, or the projection would be another one. */
  readonly write: (entry: Entry) => unknown
  /** The entry, or what is wrong with it. Never throws. */
  readonly read: (w: number, s: number, content: unknown) => Entry | string | Promise<Entry | string>
}
