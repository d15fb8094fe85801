import { setImmediate } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { StorageBackend } from '../../src/contract/backend.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import type { SyncStatus } from '../../src/sync/status.ts'
import type { Sync } from '../../src/sync/sync-contract.ts'
import { hocuspocusTransport } from '../../src/sync/transports/hocuspocus/hocuspocus-transport.ts'
import { createDevice } from '../sync/synced-device.ts'

/** A device as the sync server meets one: its log, its sync, and what that said of itself. */
export interface NodeSyncDevice {
  readonly store: SessionStore
  readonly sync: Sync
  /** Every state it was in, with its message, oldest first. */
  readonly said: readonly Pick<SyncStatus, 'state' | 'message'>[]
  say(...texts: readonly string[]): Promise<void>
  texts(key?: string): Promise<readonly unknown[]>
  close(): Promise<void>
}

export interface NodeSyncDeviceOptions {
  readonly url: string
  readonly namespace?: string
  readonly token?: () => string
  readonly backend?: StorageBackend
}

/** Opens a device in this process, with a real connection to a server. */
export async function openNodeSyncDevice({
  url,
  namespace = 'ada',
  token = () => 'secret',
  backend,
}: NodeSyncDeviceOptions): Promise<NodeSyncDevice> {
  const device = createDevice(backend)
  const transport = hocuspocusTransport({ url, token, WebSocket })
  const sync = await device.sync({ transport, namespace, retryMs: [50, 200], announceMs: 20 })
  const said: Pick<SyncStatus, 'state' | 'message'>[] = []
  const note = (): void => {
    const { state, message } = sync.status()
    const last = said.at(-1)
    if (last?.state !== state || last.message !== message)
      said.push({ state, ...(message === undefined ? {} : { message }) })
  }
  sync.subscribe(note)
  note()
  return {
    store: device.store,
    sync,
    said,
    say: async (...texts) => {
      for (const text of texts) {
        await device.store.addMessage('s', 'user', text)
        // A log in memory leaves the connection no turn.
        await setImmediate()
      }
    },
    texts: async (key = 's') => (await device.store.getHistory(key)).map(({ content }) => content),
    close: async () => {
      await device.close()
      await transport.close()
    },
  }
}
