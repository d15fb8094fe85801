import type { SessionStore } from '../../contract/store/session-store.ts'
import type { LeaderChannel } from './leader-channel.ts'

/** What a tab needs to become leader. */
export interface Election {
  readonly store: Pick<SessionStore, 'claimTerm'>
  /** Name of the lock. */
  readonly lock: string
  readonly locks: LockManager | undefined
  /** Absent where tabs can't reach each other. */
  readonly channel: LeaderChannel | undefined
  /** How often a leader is asked whether it is alive. */
  readonly tickMs: number
  readonly now: () => number
  /** Milliseconds since this tab was hidden; 0 while it is visible. */
  readonly hiddenFor: () => number
  /** Whether this tab has work that lasts as long as it leads. */
  readonly hasLasting: () => boolean
}

/** The lead, for one term. */
export interface Lead {
  readonly term: number
  /** Fires when another tab took it. */
  readonly lost: AbortSignal
  release(): void
}
