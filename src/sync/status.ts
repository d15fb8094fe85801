import type { Refusal } from './ingest.ts'

/**
 * - `offline`: retried by itself. `denied`: the server wants another token, which is asked for; retried with growing
 *   waits.
 * - `readonly`: receives what others send, but what is written here waits.
 * - `wrongKey`: the sessions of the others are encrypted with a key that is not here. Nothing is sent until there is
 *   another key.
 * - `error`: see `message`; also retried by itself.
 * - `synced` is this device's own finding: the state vectors of both sides are equal for every session, except for what
 *   was quarantined.
 */
export type SyncState =
  | 'connecting'
  | 'syncing'
  | 'synced'
  | 'offline'
  | 'denied'
  | 'readonly'
  | 'wrongKey'
  | 'error'
  | 'paused'
  | 'closed'

/** How many attachments were copied. */
export interface BlobCounts {
  readonly sent: number
  readonly received: number
  /**
   * Attachments that entries name and one side lacks, as far as is known. They are retried, at the latest with the next
   * connection.
   */
  readonly missing: number
}

/** What sync has done since it was started. */
export interface SyncReport {
  /** Local entries that went into documents. */
  readonly sent: number
  readonly received: number
  /** Sessions that received something from elsewhere. */
  readonly merged: number
  /** Sessions that were erased here because another device had purged them. */
  readonly purged: number
  /** What was not accepted, newest last; at most 100 are kept, `quarantinedCount` counts all. */
  readonly quarantined: readonly (Refusal & { readonly key: string })[]
  readonly quarantinedCount: number
  readonly blobs: BlobCounts
  /** What the user should know, although sync continues. */
  readonly notices: readonly string[]
}

export interface SyncStatus {
  readonly state: SyncState
  /** What is wrong and what is done about it, in `offline`, `denied`, `readonly`, `wrongKey` and `error`. */
  readonly message?: string
  /** Sessions that still have something to exchange. */
  readonly pending: number
  /** How many of how many sessions are done since nothing was pending. */
  readonly progress: { readonly done: number; readonly total: number }
  readonly report: SyncReport
}

/** The state of one session. */
export type SessionSyncState =
  | 'unknown'
  | 'waiting'
  | 'syncing'
  | 'synced'
  | 'quarantined'
  | 'denied'
  | 'readonly'
  | 'oversized'
  | 'wrongKey'
  | 'error'

/** What only this device has, as far as is known. */
export interface Unsent {
  /** Sessions that were written, deleted or erased here since the others were last known to have the same. */
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
