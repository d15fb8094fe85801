import type { VersionVector } from '../contract/entry.ts'
import type { SessionLink } from './session-link.ts'
import type { SessionTrouble } from './session-link-options.ts'

/** What a session's connection reports. */
export interface WindowEvents {
  /** Whether the session is not to be connected any more. */
  readonly isClosed: () => boolean
  /** Aborted then. */
  readonly signal: AbortSignal
  /** Both sides have what this vector counts. */
  readonly onSynced: (proven: VersionVector) => void
  readonly onTrouble: (trouble: SessionTrouble) => void
}

export interface SessionWindowOptions {
  /** How many sessions may be connected at once; three times as many small ones while they are exchanged. */
  readonly size: number
  readonly isSmall: (key: string) => boolean
  /** How long a session stays connected after its last change, in milliseconds, unless another one needs its place. */
  readonly liveMs: number
  /** Whether it stays connected longer than that. */
  readonly isKept: (key: string) => boolean
  readonly now: () => number
  readonly open: (key: string, events: WindowEvents) => Promise<SessionLink>
  /**
   * Both sides have what this vector counts. Rejects when that could not be recorded.
   *
   * @param isMost - no more can be sent, whatever else is here
   * @returns whether that settles it; otherwise what is here is sent and proven first
   */
  readonly onSynced: (key: string, proven: VersionVector, isMost: boolean) => Promise<boolean>
  readonly onTrouble: (key: string, trouble: SessionTrouble) => void
  readonly onChange: () => void
}
