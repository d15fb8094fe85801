import { onTestFinished } from 'vitest'
import type { StorageBackend } from '../../src/contract/backend.ts'
import type { StoreChange } from '../../src/contract/change.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { createSync } from '../../src/sync/create-sync.ts'
import type { Sync, SyncOptions } from '../../src/sync/sync-contract.ts'

/** A store and its sync, as a browser has them. */
export interface Device {
  readonly store: SessionStore
  sync(options: Partial<SyncOptions> & Pick<SyncOptions, 'transport'>): Promise<Sync>
  /** What its syncs hear of the store, as late as the test likes. */
  hear(change: StoreChange): void
  close(): Promise<void>
}

/** @param backend - where its store keeps things: that of another device is the same database, as another tab has it */
export function createDevice(backend: StorageBackend = createMemoryBackend(), now: () => number = Date.now): Device {
  const listeners = new Set<(change: StoreChange) => void>()
  const open: Sync[] = []
  const hear = (change: StoreChange): void => listeners.forEach((listener) => listener(change))
  const store = createSessionStore(backend, { now, onChange: hear })
  return {
    store,
    sync: async (options) => {
      const sync = await createSync({
        store,
        namespace: 'me',
        retryMs: [5, 20],
        announceMs: 5,
        follow: (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
        ...options,
      })
      open.push(sync)
      return sync
    },
    hear,
    close: async () => {
      await Promise.all(open.map((sync) => sync.close()))
      await store.close()
    },
  }
}

/** One for the test that runs. */
export function newDevice(): Device {
  const device = createDevice()
  onTestFinished(() => device.close())
  return device
}
