import type { VersionVector } from '../contract/entry.ts'
import type { SessionLink } from './session-link.ts'
import type { SessionTrouble } from './session-link-options.ts'
import type { WindowEvents } from './session-window-options.ts'
import type { SessionSyncState } from './status.ts'

export interface SessionExchangeOptions {
  readonly now: () => number
  readonly open: (events: WindowEvents) => Promise<SessionLink>
  /** @see SessionWindowOptions.onSynced */
  readonly onSynced: (proven: VersionVector, isMost: boolean) => Promise<boolean>
  readonly onState: (state: SessionSyncState) => void
  readonly onTrouble: (trouble: SessionTrouble) => void
  /** It is closed, or has ended. */
  readonly onClosed: () => void
}
