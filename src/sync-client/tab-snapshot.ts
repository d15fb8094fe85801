import { createChangeFeed } from '../client/session/change-feed.ts'
import type { SyncPresence, SyncSnapshot } from '../sync/sync-protocol.ts'
import type { SyncStanding } from '../sync/sync-standing.ts'
import type { DeviceSync, DeviceSyncSnapshot } from './sync-types.ts'

/** The snapshot that a tab shows, and those who watch it. */
export interface TabSnapshot extends Pick<DeviceSync, 'subscribe'> {
  get(): DeviceSyncSnapshot
  show(next: SyncStanding, isLeader: boolean): void
  showPresence(presence: SyncPresence): void
  showError(message: string, isLeader: boolean): void
  /** Sync has ended in this tab. @param message - why, unless it was closed here */
  showClosed(message: string | undefined): void
  close(): void
}

const report: SyncSnapshot['status']['report'] = {
  sent: 0,
  received: 0,
  merged: 0,
  purged: 0,
  quarantined: [],
  quarantinedCount: 0,
  blobs: { sent: 0, received: 0, missing: 0 },
  notices: [],
}
const initial: SyncSnapshot = {
  status: { state: 'connecting', pending: 0, progress: { done: 0, total: 0 }, report },
  sessions: [],
  states: {},
  presence: {},
}

export function createTabSnapshot(): TabSnapshot {
  const listeners = createChangeFeed<void>()
  let snapshot: DeviceSyncSnapshot = { ...initial, isLeader: false }
  const set = (changed: Partial<DeviceSyncSnapshot>): void => {
    snapshot = { ...snapshot, ...changed }
    listeners.emit()
  }
  return {
    subscribe: listeners.subscribe,
    get: () => snapshot,
    show: (next, isLeader) => set({ ...next, isLeader }),
    showPresence: (presence) => set({ presence }),
    showError: (message, isLeader) => set({ status: { ...snapshot.status, state: 'error', message }, isLeader }),
    showClosed: (message) => {
      const { message: _, ...status } = snapshot.status
      set({ status: { ...status, state: 'closed', ...(message === undefined ? {} : { message }) }, isLeader: false })
    },
    close: listeners.close,
  }
}
