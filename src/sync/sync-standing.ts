import type { IndexEntry } from './index-entry.ts'
import type { SessionSyncState, SyncStatus } from './status.ts'

/** The state of sync and of all sessions. */
export interface SyncStanding {
  readonly status: SyncStatus
  readonly sessions: readonly IndexEntry[]
  readonly states: Readonly<Record<string, SessionSyncState>>
}
