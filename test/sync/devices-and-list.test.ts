import { expect, it, vi } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import type { Sync } from '../../src/sync/sync-contract.ts'
import { createHub } from './hub.ts'
import { createRandom } from './simulation/random.ts'
import { createDevice, type Device } from './synced-device.ts'

/** Runs in `npm test`; `SYNC_DEVICE_RUNS` asks for more. */
const runs = Number(process.env['SYNC_DEVICE_RUNS'] ?? 20)
const keys = ['one', 'two', 'three', 'four']

/** All that a device shows: every session that is there, deleted ones too, and what is said in it. */
async function shown(store: SessionStore): Promise<unknown> {
  const lists = await Promise.all([false, true].map((deleted) => store.listSessions({ deleted })))
  const sessions = lists.flatMap((list) => list.sessions)
  return Object.fromEntries(
    await Promise.all(
      sessions.map(
        async ({ key, title, deletedAt, messageCount }) =>
          [
            key,
            { title, deletedAt, messageCount, texts: (await store.getHistory(key)).map(({ content }) => content) },
          ] as const,
      ),
    ),
  )
}

it(
  'leaves the lists and the sessions of all devices equal, and purged what was purged',
  async () => {
    for (let seed = 0; seed < runs; seed++) {
      const random = createRandom(seed)
      const hub = createHub()
      const devices: { device: Device; sync: Sync | undefined }[] = Array.from({ length: 3 }, () => ({
        device: createDevice(),
        sync: undefined,
      }))
      const purged = new Set<string>()
      const start = async (one: { device: Device; sync: Sync | undefined }): Promise<void> =>
        void (one.sync ??= await one.device.sync({ transport: hub.transport() }))
      for (const one of devices) await start(one)
      for (let step = 0; step < 25; step++) {
        const one = random.pick(devices)
        const { store } = one.device
        const key = random.pick(keys)
        const isThere = (await store.getMeta(key)) !== undefined
        const event = random.weighted({
          say: 50,
          title: 8,
          delete: 8,
          undelete: 6,
          purge: 3,
          down: 5,
          up: 10,
          pause: 5,
          resume: 8,
          close: 3,
          wait: 20,
        })
        // A key is begun anew by nobody here: what was purged must not be seen again.
        if (event === 'say' && !purged.has(key))
          await store.addMessage(key, 'user', `${seed}.${step}`, {}).catch(() => undefined)
        else if (event === 'title' && isThere)
          await store.updateMeta(key, { title: `title ${step}` }).catch(() => undefined)
        else if (event === 'delete' && isThere) await store.delete(key)
        else if (event === 'undelete' && isThere) await store.undelete(key)
        else if (event === 'purge' && isThere && one.sync?.status().state === 'synced' && !purged.has(key)) {
          purged.add(key)
          await store.purge(key)
        } else if (event === 'down') hub.down()
        else if (event === 'up') hub.up()
        else if (event === 'pause') await one.sync?.pause()
        else if (event === 'resume') one.sync?.resume()
        else if (event === 'close') {
          await one.sync?.close()
          one.sync = undefined
        } else if (event === 'wait') await new Promise((resolve) => setTimeout(resolve, random.below(15)))
        if (one.sync === undefined && random.chance(0.3)) await start(one)
      }
      hub.up()
      // A new device hears of everything, too.
      devices.push({ device: createDevice(), sync: undefined })
      for (const one of devices) {
        await start(one)
        one.sync!.resume()
        one.sync!.retry()
      }
      await vi
        .waitFor(
          async () => {
            const all = await Promise.all(devices.map(({ device }) => shown(device.store)))
            for (const other of all.slice(1)) expect(other).toEqual(all[0])
            for (const { sync } of devices) expect(sync!.status().state).toBe('synced')
          },
          { timeout: 20_000, interval: 10 },
        )
        .catch((error: unknown) => {
          throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
        })
      await Promise.all(devices.map(({ device }) => device.close()))
    }
  },
  30_000 + runs * 10_000,
)
