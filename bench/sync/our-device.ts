import type { StoreChange } from '../../src/contract/change.ts'
import { createSync } from '../../src/sync/create-sync.ts'
import type { Sync, SyncStore } from '../../src/sync/sync-contract.ts'
import type { RememberedSync } from '../../src/sync/sync-memory.ts'
import { hocuspocusTransport } from '../../src/sync/transports/hocuspocus/hocuspocus-transport.ts'
import { countingSocket, type Traffic } from '../../test/sync/counting-socket.ts'

/** A store on one of our servers. */
export interface OurDevice {
  /** Connects afresh. */
  start(): Promise<{ readonly sync: Sync; readonly traffic: Traffic; close(): Promise<void> }>
}

export function ourDevice(
  store: SyncStore,
  follow: (listener: (change: StoreChange) => void) => () => void,
  url: string,
): OurDevice {
  let remembered: RememberedSync | undefined
  const memory = { load: async () => remembered, save: async (state: RememberedSync) => void (remembered = state) }
  return {
    start: async () => {
      const { Socket, traffic } = countingSocket()
      const transport = hocuspocusTransport({ url, token: () => 'bench', WebSocket: Socket })
      const sync = await createSync({ store, follow, namespace: 'bench', memory, transport })
      return {
        sync,
        traffic,
        close: async () => {
          await sync.close()
          await transport.close()
        },
      }
    },
  }
}
