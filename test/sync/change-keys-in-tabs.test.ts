import { beforeAll, describe, expect, it, vi } from 'vitest'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { openSyncKeys, type SyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import { openTab, type Tab, withLocks } from './device-tab.ts'
import { createHub, type Hub } from './hub.ts'

withLocks()
const soon = { timeout: 20_000, interval: 10 }

let first: SyncKeys
let second: SyncKeys
beforeAll(async () => {
  ;[first, second] = await Promise.all([openSyncKeys(drawRootKey(), 'me'), openSyncKeys(drawRootKey(), 'me')])
})

/** Opens a tab, and waits until it knows who leads. */
async function openTabKnowing(hub: Hub, name: string, keys: SyncKeys): Promise<Tab> {
  const tab = await openTab(hub, name, keys)
  await tab.sync.syncNow().catch(() => undefined)
  return tab
}
const say = async ({ client }: Tab, count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await client.store.addMessage(`s${i}`, 'user', `in ${i}`)
}
const isLeader = ({ sync }: Tab): boolean => sync.getSnapshot().isLeader

describe('a change of keys in a device of several tabs', () => {
  it('is asked for in any tab, and all go on with the new key, whoever leads', async () => {
    const hub = createHub()
    const [one, two, three] = [
      await openTabKnowing(hub, 'k1', first),
      await openTabKnowing(hub, 'k1', first),
      await openTabKnowing(hub, 'k1', first),
    ]
    await say(one, 3)
    await one.sync.syncNow()
    await vi.waitFor(() => expect([one, two, three].map(isLeader)).toEqual([true, false, false]), soon)
    const seen: number[] = []
    const report = await two.sync.changeKeys(second, { onProgress: ({ done, total }) => seen.push(done / total) })
    expect({ moved: [...report.moved].sort(), left: report.left, seen: seen.at(-1) }).toEqual({
      moved: ['s0', 's1', 's2'],
      left: [],
      seen: 1,
    })
    expect((await one.sync.syncNow()).state).toBe('synced')
    // One that was opened with what its page had read before.
    const late = await openTabKnowing(hub, 'k1', first)
    const open = [one, two, three, late]
    for (const next of [two, three, late]) {
      await open.shift()!.close()
      await vi.waitFor(() => expect(open.some(isLeader)).toBe(true), soon)
      expect((await next.sync.syncNow()).state).toBe('synced')
    }
    const other = await openTabKnowing(hub, 'k1-elsewhere', second)
    await other.sync.syncNow()
    expect((await other.client.listSessions()).total).toBe(3)
  })

  it('leaves alone a tab that was opened with yet another key', async () => {
    const hub = createHub()
    const third = await openSyncKeys(drawRootKey(), 'me')
    const one = await openTabKnowing(hub, 'k2', first)
    await say(one, 1)
    await one.sync.syncNow()
    const two = await openTabKnowing(hub, 'k2', third)
    await one.sync.changeKeys(second)
    await one.close()
    await vi.waitFor(
      () => expect([isLeader(two), two.sync.getSnapshot().status.state]).toEqual([true, 'wrongKey']),
      soon,
    )
  })

  it('that its tab does not survive says to be called again, and is then gone on with', async () => {
    const hub = createHub()
    const [one, two] = [await openTabKnowing(hub, 'k3', first), await openTabKnowing(hub, 'k3', first)]
    await say(one, 12)
    await one.sync.syncNow()
    const changing = two.sync.changeKeys(second, { onProgress: () => void one.close() })
    await expect(changing).rejects.toMatchObject({
      name: 'WorkerLost',
      message: expect.stringContaining('from') as string,
    })
    await vi.waitFor(() => expect(two.sync.getSnapshot().status.state).toBe('wrongKey'), soon)
    expect((await two.sync.changeKeys(second, { from: first })).left).toEqual([])
    expect((await two.sync.syncNow()).state).toBe('synced')
    const other = await openTabKnowing(hub, 'k3-elsewhere', second)
    expect((await other.sync.syncNow()).state).toBe('synced')
    expect((await other.client.listSessions()).total).toBe(12)
  })

  it('is stopped by the signal of the tab that asked', async () => {
    const hub = createHub()
    const [one, two] = [await openTabKnowing(hub, 'k4', first), await openTabKnowing(hub, 'k4', first)]
    await say(one, 12)
    await one.sync.syncNow()
    const stop = new AbortController()
    await expect(
      two.sync.changeKeys(second, { signal: stop.signal, onProgress: () => stop.abort() }),
    ).rejects.toMatchObject({ name: 'Aborted' })
    await vi.waitFor(() => expect(one.sync.getSnapshot().status.state).toBe('wrongKey'), soon)
    expect((await one.sync.changeKeys(second)).left).toEqual([])
    expect((await two.sync.syncNow()).state).toBe('synced')
  })

  it('is refused with what is no key, and without a key to change', async () => {
    const [one, two] = [await openTabKnowing(createHub(), 'k5', first), await openTabKnowing(createHub(), 'k5', first)]
    for (const { sync } of [one, two]) {
      for (const given of [undefined, null, 'secret', {}])
        await expect(sync.changeKeys(given as never)).rejects.toMatchObject({ name: 'InvalidInput' })
      await expect(sync.changeKeys(first)).rejects.toMatchObject({ name: 'InvalidInput' })
      await expect(sync.changeKeys(await openSyncKeys(drawRootKey(), 'you'))).rejects.toMatchObject({
        name: 'InvalidInput',
      })
    }
  })
})
