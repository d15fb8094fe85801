import type { Entry } from '../../../contract/entry.ts'

/** What is to be written so that a session has a file's state. */
export interface StatePlan {
  /** In the order they are stored: what hides others comes after what takes its place. */
  readonly entries: readonly Entry[]
  /** UTF-8 bytes of the messages, by host message id. */
  readonly bytes: ReadonlyMap<string, number>
  /** Whether what a model gets, and the memo session's state, are left as they are here, other than in the file. */
  readonly isReduced?: boolean
  /** Messages of the file that are there already. */
  readonly known: number
}
