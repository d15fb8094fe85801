import type { Clock } from '../contract/entry.ts'
import type { IndexValue } from './index-entry.ts'

/** How values of the list of sessions are encoded. Under encryption the server sees neither titles nor keys. */
export interface IndexCodec {
  readonly write: (id: string, clock: Clock, value: IndexValue) => unknown
  /**
   * Returns the value, `undefined` for invalid content, or that it was sealed with a key that is not here. Neither
   * throws nor rejects.
   */
  readonly read: (id: string, clock: Clock, content: unknown) => unknown
}

/** What the list says about the keys that others use. A new object whenever that has changed. */
export interface KeyMarks {
  /** Key records, as they arrived. */
  readonly records: readonly Uint8Array[]
  /** How many values were sealed with keys that are not here, and how many are not encrypted. */
  readonly sealed: number
  readonly plain: number
}
