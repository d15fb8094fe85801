import { describe, expect, it, vi } from 'vitest'
import { openSessionStore } from '../../src/index.ts'
import { openSyncMemory } from '../../src/sync/open-sync-memory.ts'
import { inPage, openTab, type Tab, withLocks } from './device-tab.ts'
import { createHub, type Hub } from './hub.ts'

withLocks()
const soon = { timeout: 20_000, interval: 10 }

/** Opens a tab, and waits until it knows how sync stands. */
async function openTabKnowing(hub: Hub, name: string): Promise<Tab> {
  const tab = await openTab(hub, name)
  await vi.waitFor(() => expect(stateOf(tab)).not.toBe('connecting'), soon)
  return tab
}
const remembered = (name: string): Promise<unknown> => openSyncMemory(name, 'me').load()
const stateOf = ({ sync }: Tab): string => sync.getSnapshot().status.state
const keysIn = async (name: string): Promise<readonly string[]> => {
  const client = await openSessionStore({ name, ...inPage })
  const { sessions } = await client.listSessions()
  await client.close()
  return sessions.map(({ key }) => key)
}

describe('signing out', () => {
  it.each([
    ['the tab that syncs', 0],
    ['another tab', 1],
  ] as const)('in %s ends sync in all, and forgets the other devices', async (_, at) => {
    const [hub, name] = [createHub(), `out${at}`]
    const tabs = [await openTabKnowing(hub, name), await openTabKnowing(hub, name)]
    await tabs[0]!.client.store.addMessage('s', 'user', 'sent')
    await tabs[0]!.sync.syncNow()
    const isLeader = ({ sync }: Tab): boolean => sync.getSnapshot().isLeader
    await vi.waitFor(() => expect(tabs.filter(isLeader).length).toBe(1), soon)
    tabs.sort((a, b) => Number(isLeader(b)) - Number(isLeader(a)))
    await vi.waitFor(async () => expect(await remembered(name)).toBeDefined(), soon)
    await tabs[at]!.sync.signOut()
    expect(stateOf(tabs[at]!)).toBe('closed')
    const other = tabs[1 - at]!
    await vi.waitFor(
      () =>
        expect(other.sync.getSnapshot().status).toMatchObject({
          state: 'closed',
          message: expect.stringContaining('signed out') as string,
        }),
      soon,
    )
    await expect(other.sync.syncNow()).rejects.toMatchObject({ name: 'StorageClosed' })
    await vi.waitFor(async () => expect(await remembered(name)).toBeUndefined(), soon)
    await other.client.store.addMessage('t', 'user', 'kept here')
    const elsewhere = await openTabKnowing(hub, `${name}-elsewhere`)
    await elsewhere.sync.syncNow()
    expect((await elsewhere.client.listSessions()).sessions.map(({ key }) => key)).toEqual(['s'])
    expect((await other.client.listSessions()).total).toBe(2)
  })

  it('with the sessions takes them away from this device only', async () => {
    const hub = createHub()
    const [one, two] = [await openTabKnowing(hub, 'away'), await openTabKnowing(hub, 'away')]
    await one.client.store.addMessage('s', 'user', 'sent')
    await one.sync.syncNow()
    expect(await two.sync.unsent()).toEqual({ sessions: [], attachments: 0 })
    await two.sync.signOut({ deleteSessions: true })
    await expect(one.client.listSessions()).rejects.toMatchObject({ name: 'StorageClosed' })
    expect([await keysIn('away'), await remembered('away')]).toEqual([[], undefined])
    const elsewhere = await openTabKnowing(hub, 'away-elsewhere')
    await elsewhere.sync.syncNow()
    expect((await elsewhere.client.listSessions()).total).toBe(1)
  })

  it('with sessions that no other device has is refused, and done only when it is said that they may go', async () => {
    const hub = createHub()
    const one = await openTabKnowing(hub, 'unsent')
    await one.client.store.addMessage('s', 'user', 'sent')
    await one.sync.syncNow()
    hub.down()
    await vi.waitFor(() => expect(stateOf(one)).toBe('offline'), soon)
    // What was sent is known without a connection.
    expect(await one.sync.unsent()).toEqual({ sessions: [], attachments: 0 })
    await one.client.store.addMessage('s', 'user', 'not sent')
    await one.client.store.addMessage('t', 'user', 'not sent')
    await expect(one.sync.signOut({ deleteSessions: true })).rejects.toMatchObject({
      name: 'Unsent',
      message: expect.stringContaining('2 sessions') as string,
    })
    expect([(await one.sync.unsent()).sessions.length, stateOf(one)]).toEqual([2, 'offline'])
    await one.sync.signOut({ deleteSessions: true, discardUnsent: true })
    expect(await keysIn('unsent')).toEqual([])
  })

  it('takes the sessions away also where it can not forget the other devices, and says so', async () => {
    const one = await openTabKnowing(createHub(), 'unforgotten')
    await one.client.store.addMessage('s', 'user', 'sent')
    await one.sync.syncNow()
    const deleteDatabase = indexedDB.deleteDatabase.bind(indexedDB)
    const spy = vi.spyOn(indexedDB, 'deleteDatabase').mockImplementation((name) => {
      if (name.startsWith('keepsession-sync:')) throw new DOMException('not here', 'SecurityError')
      return deleteDatabase(name)
    })
    await expect(one.sync.signOut({ deleteSessions: true })).rejects.toMatchObject({
      name: 'StorageUnavailable',
      message: expect.stringContaining('not here') as string,
    })
    spy.mockRestore()
    expect(await keysIn('unforgotten')).toEqual([])
  })

  it('with an attachment that could not be sent is refused', async () => {
    const one = await openTabKnowing(createHub(), 'attached')
    const hash = await one.client.blobs.put(new Blob(['a picture']))
    await one.client.store.addMessage('s', 'user', `see blob:${hash}`)
    // This transport carries none.
    await one.sync.syncNow()
    await vi.waitFor(async () => expect(await one.sync.unsent()).toEqual({ sessions: [], attachments: 1 }), soon)
    await expect(one.sync.signOut({ deleteSessions: true })).rejects.toMatchObject({ name: 'Unsent' })
  })
})
