import type { JournalLag } from './journal.ts'

/** Whether a worker mirrors its database to files. */
export interface MirrorState {
  readonly isOn: boolean
  /** Why there is no mirror. */
  readonly reason?: string
  /** Whether the mirror has the content of another database, which is lost. */
  readonly hasLost?: boolean
  /** What only the mirror has, because the database takes nothing for now. It is stored once the database does. */
  readonly waiting?: JournalLag
}

/** The outcome of comparing a database with its mirror. */
export interface MirrorReport {
  /** Sessions that had lost entries in the database, which were restored. */
  readonly refilled: readonly string[]
  /** Entries that were restored. */
  readonly entries: number
  /** Restored entries whose write had been acknowledged. */
  readonly lost: number
  /** Entries that the mirror lacked. */
  readonly copied: number
  /** Blobs that were restored. */
  readonly blobs: number
  /** Rows of collections that were restored. */
  readonly rows: number
  /** Sessions that could not be restored; without a key what is not of a session. */
  readonly left: readonly { readonly key: string; readonly reason: string }[]
}
