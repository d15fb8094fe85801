import type { IndexEntry } from './index-entry.ts'
import type { SessionSyncState, SyncStatus } from './status.ts'

/** How sync stands with all sessions. */
export interface SyncStanding {
  readonly status: SyncStatus
  readonly sessions: readonly IndexEntry[]
  readonly states: Readonly<Record<string, SessionSyncState>>
}
