import type { Refusal } from './ingest.ts'

/**
 * - `offline`: tried again by itself. `denied`: the server wants another token; asked for and tried again, later each time.
 * - `readonly`: takes in what others send, what is written here waits.
 * - `wrongKey`: the sessions of the others are encrypted with a key that is not here. Nothing is sent until there is another key.
 * - `error`: what is said in `message`; tried again by itself, too.
 * - `synced` is our own claim: every session's state vectors, theirs and ours, are equal, but for what was quarantined.
 */
export type SyncState = 'connecting' | 'syncing' | 'synced' | 'offline' | 'denied' | 'readonly' | 'wrongKey' | 'error' | 'paused' | 'closed'

/** Attachments that were carried. */
export interface BlobCounts {
  readonly sent: number
  readonly received: number
  /** That entries name and one side lacks, for all that is known: tried again, at the latest when it is connected again. */
  readonly missing: number
}

/** What sync did since it was started. */
export interface SyncReport {
  /** Entries of ours that went into documents. */
  readonly sent: number
  readonly received: number
  /** Sessions that got something from elsewhere. */
  readonly merged: number
  /** Sessions that were erased here because another device had purged them. */
  readonly purged: number
  /** What was not taken, newest last; at most 100 are kept, `quarantinedCount` counts all. */
  readonly quarantined: readonly (Refusal & { readonly key: string })[]
  readonly quarantinedCount: number
  readonly blobs: BlobCounts
  /** What somebody should know, though sync goes on. */
  readonly notices: readonly string[]
}

export interface SyncStatus {
  readonly state: SyncState
  /** What is wrong and what is done about it, in `offline`, `denied`, `readonly`, `wrongKey` and `error`. */
  readonly message?: string
  /** Sessions that still have something to exchange. */
  readonly pending: number
  /** Since nothing was pending: how many of how many sessions are done. */
  readonly progress: { readonly done: number; readonly total: number }
  readonly report: SyncReport
}

/** How one session stands. */
export type SessionSyncState = 'unknown' | 'waiting' | 'syncing' | 'synced' | 'quarantined' | 'denied' | 'readonly' | 'oversized' | 'wrongKey' | 'error'

/** What only this device has, for all that is known. */
export interface Unsent {
  /** Sessions that were written to, deleted or erased here since the others were known to have the same. */
  readonly sessions: readonly string[]
  /** Attachments that could not be sent, or are being sent. */
  readonly attachments: number
}

/** What the first upload would do, before anything is sent. */
export interface SyncPlan {
  /** Sessions that only this device has. */
  readonly upload: readonly string[]
  /** Sessions that only other devices have. */
  readonly download: readonly string[]
  /** Sessions that differ. */
  readonly exchange: readonly string[]
  /** Sessions that other devices erased for good, and that would be erased here. */
  readonly erase: readonly string[]
}
