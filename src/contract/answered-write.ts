import type { OperationRow, StoredEntry } from './rows.ts'

/** What a call added to a session and was answered with, before the database had it. */
export interface AnsweredWrite {
  readonly key: string
  /** Local number of the session that it was planned in. */
  readonly session: number
  /** The version that it was planned on; 0 when it creates the session. */
  readonly since: number
  /** Entries of lines, in the order in which they were made. */
  readonly entries: readonly StoredEntry[]
  /** The operations that made them. */
  readonly operations: readonly OperationRow[]
}
