import type { Sync } from './sync-contract.ts'
import type { SyncStanding } from './sync-standing.ts'

/** The state of sync, as plain data. */
export function snapshotOf(sync: Pick<Sync, 'status' | 'sessions' | 'states'>): SyncStanding {
  return { status: sync.status(), sessions: sync.sessions(), states: sync.states() }
}
