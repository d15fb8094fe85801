import type { SessionUsage } from '../../contract/store/store-upkeep.ts'

/** `delete` puts a session behind a tombstone, from where `undelete` brings it back until it is purged. */
export type RetentionAction = 'archive' | 'compact' | 'delete'

/**
 * How much is to be kept. Whatever a limit is passed by goes in this order: archived sessions, then those that nobody
 * wrote to for longest. Deleted sessions never count. A session in use, or with the tag `pinned`, stays.
 */
export interface RetentionPolicy {
  /** How many sessions. With `archive` those that are not archived count. */
  readonly maxSessions?: number
  /** Milliseconds since the last entry. */
  readonly maxAgeMs?: number
  /**
   * Canonical JSON bytes of all entries. Not with `archive`, which frees nothing; what `delete` hides is freed by
   * `purgeDeletedAfterMs`.
   */
  readonly maxBytes?: number
  /**
   * What becomes of a session beyond a limit. A function is asked for each, and may export it first; when it fails the
   * session stays. Required with a limit.
   */
  readonly action?:
    | RetentionAction
    | ((session: SessionUsage) => RetentionAction | 'keep' | Promise<RetentionAction | 'keep'>)
  /** Erases deleted sessions for good, so many milliseconds after they were deleted. Absent: never. */
  readonly purgeDeletedAfterMs?: number
}

export type RetentionReason = 'age' | 'sessions' | 'bytes' | 'deleted'

/** What a run of a retention policy did, or would do. */
export interface RetentionReport {
  readonly dryRun: boolean
  /** Another tab was at it: nothing was done here. */
  readonly isBusy: boolean
  /** In the order in which it was done. */
  readonly done: readonly {
    readonly key: string
    readonly title: string
    readonly action: RetentionAction | 'purge' | 'asked'
    readonly reason: RetentionReason
    readonly bytes: number
  }[]
  /** Sessions beyond a limit that stay, and why. */
  readonly kept: readonly { readonly key: string; readonly reason: 'pinned' | 'in use' | 'changed' | 'asked' }[]
  readonly failed: readonly { readonly key: string; readonly message: string }[]
}
