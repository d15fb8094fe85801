import type { Entry } from '../contract/entry.ts'
import type { KeyMissing } from './encryption/key-missing.ts'

/**
 * Converts entries to elements of a document, and back. Unencrypted elements are pairs of head and data; encrypted ones
 * are sealed as a whole.
 */
export interface ElementCodec {
  /** The same entry always gives the same content, on every device. Otherwise the projections would differ. */
  readonly write: (entry: Entry) => unknown
  /**
   * Returns the entry, what is wrong with it, or that its key is not here: then it has to be requested again once the
   * key is. Neither throws nor rejects.
   */
  readonly read: (
    w: number,
    s: number,
    content: unknown,
  ) => Entry | KeyMissing | string | Promise<Entry | KeyMissing | string>
}
