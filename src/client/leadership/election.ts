import type { SessionStore } from '../../contract/store/session-store.ts'
import type { LeaderChannel } from './leader-channel.ts'

/** What a tab stands for leader with. */
export interface Election {
  readonly store: Pick<SessionStore, 'claimTerm'>
  /** Name of the lock. */
  readonly office: string
  readonly locks: LockManager | undefined
  /** Absent where tabs can't hear each other. */
  readonly channel: LeaderChannel | undefined
  /** How often a leader is asked whether it lives. */
  readonly tickMs: number
  readonly now: () => number
  /** Milliseconds since this tab was hidden; 0 while somebody looks at it. */
  readonly hiddenFor: () => number
  /** Whether this tab has work that goes on as long as it leads. */
  readonly hasLasting: () => boolean
}

/** An office that was taken. */
export interface Office {
  readonly term: number
  /** Fires when it was taken away. */
  readonly lost: AbortSignal
  /** Gives it up. */
  release(): void
}
