import type { OperationRow } from './operation-row.ts'
import type { StoredEntry } from './rows.ts'

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

/** How far the database has the content of a journal. */
export interface JournalMark {
  /** Names the journal. */
  readonly boot: string
  /** Bytes of the journal's file whose content the database has. */
  readonly upTo: number
  /**
   * Where it has more of single sessions, by key, because others were refused or are still to come. Without it, what was
   * stored and purged since would be stored again with the rest.
   */
  readonly ahead?: readonly (readonly [key: string, upTo: number])[]
}

/** What is added to a mark. */
export interface MarkStep extends JournalMark {
  /** The mark that must be stored before; absent: any. */
  readonly after?: JournalMark
}

/** How much of the journal (the mirror's file) the database does not have yet. */
export interface JournalLag {
  /** Writes that were answered and are not in the database yet. */
  readonly writes: number
  /** When the oldest of them was answered, in milliseconds since 1970. */
  readonly since: number
}
