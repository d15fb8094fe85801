import type { SyncPresence } from '../sync/sync-protocol.ts'
import { createSnapshotSender, type SnapshotSender } from './snapshot-messages.ts'
import type { SyncChannel } from './sync-channel.ts'
import type { TabSnapshot } from './tab-snapshot.ts'
import type { TabState } from './tab-state.ts'

/** What the tab that leads announces to the others. */
export interface TabBroadcast {
  /** Announces the snapshot, whole or what has changed. Does nothing in a tab that does not lead. */
  snapshot(form: keyof SnapshotSender): void
  /** Announces the presence, where this tab has an engine that was announced. */
  presence(presence: SyncPresence): void
}

export function createTabBroadcast(channel: SyncChannel, state: TabState, snapshot: TabSnapshot): TabBroadcast {
  const sender = createSnapshotSender()
  return {
    snapshot: (form) => {
      const { isLeader, status, sessions, states } = snapshot.get()
      if (!isLeader) return
      const { leader, device, isPaused } = state
      channel.post({ sync: 'snapshot', leader, device, isPaused, content: sender[form]({ status, sessions, states }) })
    },
    presence: (presence) => {
      const { leader } = state
      if (leader !== undefined) channel.post({ sync: 'presence', leader, presence })
    },
  }
}
