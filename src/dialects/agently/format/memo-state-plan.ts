import type { Entry } from '../../../contract/entry.ts'

/** The entries to write so that a session has the state of a file. */
export interface StatePlan {
  /** In the order in which they are stored: an entry that hides others comes after those that replace them. */
  readonly entries: readonly Entry[]
  /** UTF-8 bytes of the messages, by host message id. */
  readonly bytes: ReadonlyMap<string, number>
  /** Whether the context and the state of the memo session stay as they are here, although the file differs. */
  readonly isReduced?: boolean
  /** The number of messages of the file that are stored already. */
  readonly known: number
}
