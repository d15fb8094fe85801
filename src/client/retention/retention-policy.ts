import type { SessionUsage } from '../../contract/store/store-upkeep.ts'

/** `delete` hides a session; `undelete` restores it until it is purged. */
export type RetentionAction = 'archive' | 'compact' | 'delete'

/**
 * Limits for what is kept. Beyond a limit, archived sessions are processed first, then the longest unused ones. Deleted
 * sessions never count. A session in use, or with the tag `pinned`, stays.
 */
export interface RetentionPolicy {
  /** The largest number of sessions. With `archive`, only sessions that are not archived count. */
  readonly maxSessions?: number
  /** The longest time since the last entry, in milliseconds. */
  readonly maxAgeMs?: number
  /**
   * The most canonical JSON bytes of all entries. Not allowed with `archive`, which frees nothing. `delete` only hides
   * sessions; `purgeDeletedAfterMs` frees their space.
   */
  readonly maxBytes?: number
  /**
   * What is done with a session beyond a limit. A function is called for each session, and may export it first; if it
   * fails, the session stays. Required with a limit.
   */
  readonly action?:
    | RetentionAction
    | ((session: SessionUsage) => RetentionAction | 'keep' | Promise<RetentionAction | 'keep'>)
  /** Erases deleted sessions for good, this many milliseconds after they were deleted. Absent: never. */
  readonly purgeDeletedAfterMs?: number
}

export type RetentionReason = 'age' | 'sessions' | 'bytes' | 'deleted'

/** What a run of a retention policy did, or would do. */
export interface RetentionReport {
  readonly dryRun: boolean
  /** Another tab was running the policy, so nothing was done here. */
  readonly isBusy: boolean
  /** In the order of processing. */
  readonly done: readonly {
    readonly key: string
    readonly title: string
    readonly action: RetentionAction | 'purge' | 'asked'
    readonly reason: RetentionReason
    readonly bytes: number
  }[]
  /** Sessions that are beyond a limit but stay, and why. */
  readonly kept: readonly { readonly key: string; readonly reason: 'pinned' | 'in use' | 'changed' | 'asked' }[]
  readonly failed: readonly { readonly key: string; readonly message: string }[]
}
