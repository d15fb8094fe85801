import type { Sync } from './create-sync.ts'
import type { SyncSnapshot } from './worker-protocol.ts'

/** What can be seen of sync without asking, as plain data. */
export function snapshotOf(sync: Pick<Sync, 'status' | 'sessions' | 'states' | 'presences'>): SyncSnapshot {
  return { status: sync.status(), sessions: sync.sessions(), states: sync.states(), presence: sync.presences() }
}
