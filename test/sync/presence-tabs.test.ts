import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openSessionStore } from '../../src/index.ts'
import { openSync } from '../../src/sync-client/open-sync.ts'
import type { DeviceSync } from '../../src/sync-client/types.ts'
import { createWatchedKeys } from '../../src/sync-client/watched-keys.ts'
import { createHub, type Hub } from './hub.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})
const soon = { timeout: 20_000, interval: 10 }

async function openTab(hub: Hub, name: string, user: string): Promise<DeviceSync> {
  const store = await openSessionStore({ name })
  const sync = openSync(store, { namespace: 'me', transport: () => hub.transport(), retryMs: [5, 20], tellMs: 5, presence: { user: { name: user } } })
  open.push(store, sync)
  return sync
}
const seen = (sync: DeviceSync): unknown[] => (sync.getSnapshot().presence['s'] ?? []).map(({ user, isTyping }) => [user['name'], isTyping])

describe('presence in the tabs of a device', () => {
  it('is told and seen by those that follow, too', async () => {
    const hub = createHub()
    const leader = await openTab(hub, 'tabs', 'Ada')
    await vi.waitFor(() => expect(leader.getSnapshot().isLeader).toBe(true), soon)
    const follower = await openTab(hub, 'tabs', 'Ada')
    const other = await openTab(hub, 'other device', 'Bob')
    other.watch('s')
    const stop = follower.watch('s')
    await vi.waitFor(() => expect([seen(other), seen(follower), seen(leader)]).toEqual([[['Ada', false]], [['Bob', false]], [['Bob', false]]]), soon)
    expect(follower.getSnapshot().isLeader).toBe(false)
    follower.setTyping('s', true)
    await vi.waitFor(() => expect(seen(other)).toEqual([['Ada', true]]), soon)
    await leader.close()
    // Whoever leads next goes on.
    await vi.waitFor(() => expect([follower.getSnapshot().isLeader, seen(other), seen(follower)]).toEqual([true, [['Ada', false]], [['Bob', false]]]), soon)
    stop()
    await vi.waitFor(() => expect(seen(other)).toEqual([]), soon)
  })

  it('refuses a user that is none at once', async () => {
    const store = await openSessionStore({ name: 'refused' })
    open.push(store)
    expect(() => openSync(store, { namespace: 'me', transport: () => createHub().transport(), presence: { user: 'Ada' as never } })).toThrow(expect.objectContaining({ name: 'InvalidInput' }))
  })
})

describe('what the tabs of a device look at', () => {
  it('is let go of when a tab says nothing any more', () => {
    const watched = createWatchedKeys(() => undefined)
    watched.hear('a', ['s', 't'])
    watched.hear('b', ['t'])
    watched.callRoll()
    watched.callRoll()
    watched.hear('b', ['t'])
    watched.callRoll()
    expect(watched.all()).toEqual(['t'])
  })

  it('is let go of when the last that asked has stopped, once each', () => {
    const watched = createWatchedKeys(() => undefined)
    const [one, two] = [watched.watch('s'), watched.watch('s')]
    one()
    one()
    expect(watched.all()).toEqual(['s'])
    two()
    expect(watched.all()).toEqual([])
  })
})
