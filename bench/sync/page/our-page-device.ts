import { openSessionStore } from '../../../src/index.ts'
import { openSync } from '../../../src/sync.ts'
import { messageOf } from '../message.ts'
import type { PageDevice, PageDeviceOptions } from './page-device.ts'

/** Messages of one write: nobody types faster, and the log has to be made in some time. */
const burst = 100

/** By then a store has done what it does once, five seconds after it was opened. */
const settledMs = 8000

/** The store behind its worker, synced by a worker of its own. */
export async function openOurs({ name, url }: PageDeviceOptions): Promise<PageDevice> {
  const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 20_000 })
  const sync = openSync(client, {
    namespace: 'bench',
    transport: { kind: 'hocuspocus', url },
    token: () => 'bench',
    paused: true,
  })
  await untilPaused(sync)
  const settled = new Promise((resolve) => setTimeout(resolve, settledMs))
  return {
    say: async (count) => {
      for (let from = 0; from < count; from += burst) {
        await Promise.all(
          Array.from({ length: Math.min(burst, count - from) }, (_, i) =>
            client.store.append('chat', [{ type: 'message', message: messageOf(from + i) }] as never),
          ),
        )
      }
      await client.upkeep.flush()
      await settled
    },
    exchange: async (count) => {
      const complete = new Promise<void>((resolve) => {
        const stop = client.subscribe((change) => {
          if (change.type !== 'session' || (change.listing?.messageCount ?? 0) < count) return
          stop()
          resolve()
        })
      })
      await sync.resume()
      await complete
      await client.upkeep.flush()
    },
    texts: async () => (await client.store.getHistory('chat')).map(({ content }) => content as string),
    close: async () => {
      await sync.close()
      await client.close()
    },
  }
}

/** Until its worker runs: that is started with the app, not when the network comes back. */
export function untilPaused({ subscribe, getSnapshot }: ReturnType<typeof openSync>): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (getSnapshot().status.state !== 'paused') return
      stop()
      resolve()
    }
    const stop = subscribe(look)
    look()
  })
}
