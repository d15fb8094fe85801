// What a page loads only where sync can't be in a worker: Yjs comes with it.
import { createSync } from '../sync/create-sync.ts'
import type { SyncKeys } from '../sync/encryption/sync-keys.ts'
import type { SyncTransport } from '../sync/link.ts'
import { openSyncMemory } from '../sync/open-sync-memory.ts'
import { snapshotOf } from '../sync/snapshot-of.ts'
import { watchAll } from '../sync/watch-all.ts'
import type { SyncPresence, SyncSettings, SyncSnapshot } from '../sync/worker-protocol.ts'
import type { SessionClient } from '../client/types.ts'
import type { SyncEngine } from './engine.ts'

export interface PageEngineOptions extends SyncSettings {
  readonly client: SessionClient
  readonly namespace: string
  readonly transport: SyncTransport
  readonly keys: SyncKeys | undefined
  readonly term: number
  readonly paused: boolean
  readonly onSnapshot: (snapshot: SyncSnapshot) => void
  readonly onPresence: (presence: SyncPresence) => void
}

/** Syncs in this page. */
export async function startPageEngine({ client, transport, keys, onSnapshot, onPresence, ...options }: PageEngineOptions): Promise<SyncEngine> {
  const sync = await createSync({
    ...options,
    store: client,
    transport,
    ...(keys === undefined ? {} : { keys }),
    follow: (listener) => client.subscribe(listener),
    ...((globalThis.indexedDB as unknown) === undefined ? {} : { memory: openSyncMemory(client.name, options.namespace) }),
  })
  sync.subscribe((what) => (what === 'presence' ? onPresence(sync.presences()) : onSnapshot(snapshotOf(sync))))
  onSnapshot(snapshotOf(sync))
  globalThis.addEventListener?.('online', sync.retry)
  globalThis.addEventListener?.('offline', sync.drop)
  const end = (): void => {
    globalThis.removeEventListener?.('online', sync.retry)
    globalThis.removeEventListener?.('offline', sync.drop)
    void sync.close().then(() => transport.close())
  }
  return {
    // It ends with its page.
    lost: new Promise(() => undefined),
    end,
    watch: watchAll(sync),
    setTyping: sync.setTyping,
    call: async (method, signal) => {
      const result = await (sync[method] as (signal?: AbortSignal) => unknown)(signal)
      return result as never
    },
  }
}
