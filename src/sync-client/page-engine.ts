// A page loads this only where sync cannot run in a worker: Yjs comes with it.

import type { SessionClient } from '../client/client-contract.ts'
import { announceSnapshots } from '../sync/announce-snapshots.ts'
import { createSync } from '../sync/create-sync.ts'
import type { SyncTransport } from '../sync/link.ts'
import { openSyncMemory } from '../sync/open-sync-memory.ts'
import { runCall } from '../sync/run-call.ts'
import type { SyncSettings } from '../sync/sync-protocol.ts'
import { watchAll } from '../sync/watch-all.ts'
import type { EngineOptions, SyncEngine } from './sync-engine.ts'

export interface PageEngineOptions extends SyncSettings, EngineOptions {
  readonly client: SessionClient
  readonly namespace: string
  readonly transport: SyncTransport
}

/** Syncs in this page. */
export async function startPageEngine({
  client,
  transport,
  keys,
  onSnapshot,
  onPresence,
  ...options
}: PageEngineOptions): Promise<SyncEngine> {
  const sync = await createSync({
    ...options,
    store: client.store,
    transport,
    ...(keys === undefined ? {} : { keys }),
    follow: (listener) => client.subscribe(listener),
    ...((globalThis.indexedDB as unknown) === undefined
      ? {}
      : { memory: openSyncMemory(client.name, options.namespace) }),
  })
  const show = announceSnapshots(sync, onSnapshot)
  sync.subscribe((what) => what === 'presence' && onPresence(sync.presences()))
  show()
  globalThis.addEventListener?.('online', sync.retry)
  globalThis.addEventListener?.('offline', sync.drop)
  const end = (): void => {
    globalThis.removeEventListener?.('online', sync.retry)
    globalThis.removeEventListener?.('offline', sync.drop)
    // Nobody waits for this. A failure to close changes nothing.
    void Promise.allSettled([sync.close()])
      .then(() => transport.close())
      .catch(() => undefined)
  }
  return {
    // This engine ends with its page.
    lost: new Promise(() => undefined),
    end,
    watch: watchAll(sync),
    setTyping: sync.setTyping,
    call: async (call, how = {}) => {
      const value = await runCall(sync, call, how)
      show()
      return value as never
    },
  }
}
