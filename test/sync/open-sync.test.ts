import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openSessionStore, type SessionClient } from '../../src/index.ts'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { openSyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import type { SyncTransport } from '../../src/sync/link.ts'
import { openSync } from '../../src/sync-client/open-sync.ts'
import { inPage, openTab, type Tab, withLocks } from './device-tab.ts'
import { createHub, type Hub } from './hub.ts'

withLocks()
const soon = { timeout: 20_000, interval: 10 }

const texts = async (client: SessionClient): Promise<readonly unknown[]> =>
  (await client.store.getHistory('s')).map(({ content }) => content)

/** A transport that can't be made the first time. */
function lateTransport(hub: Hub): () => SyncTransport {
  let isFirst = true
  return () => {
    if (!isFirst) return hub.transport()
    isFirst = false
    throw new Error('a chunk could not be loaded')
  }
}
const hasStarted = ({ sync }: Tab): Promise<void> =>
  vi.waitFor(() => expect(sync.getSnapshot().status.state).not.toBe('error'), soon)

describe('sync of a device', () => {
  it('brings the sessions of one device to another', async () => {
    const hub = createHub()
    const [a, b] = [await openTab(hub, 'a1'), await openTab(hub, 'b1')]
    await a.client.store.addMessage('s', 'user', 'hello')
    await a.sync.syncNow()
    await vi.waitFor(async () => expect(await texts(b.client)).toEqual(['hello']), soon)
    await vi.waitFor(
      () =>
        expect([a.sync.getSnapshot().status.state, b.sync.getSnapshot().status.state]).toEqual(['synced', 'synced']),
      soon,
    )
    expect(a.sync.getSnapshot().sessions.map(({ title }) => title)).toEqual(['hello'])
  })

  it('keeps its snapshot until something changes', async () => {
    const { sync } = await openTab(createHub(), 'a2')
    await sync.syncNow()
    expect(sync.getSnapshot()).toBe(sync.getSnapshot())
  })

  it('sends nothing while it is paused, and everything afterwards', async () => {
    const hub = createHub()
    const [a, b] = [await openTab(hub, 'a3'), await openTab(hub, 'b3')]
    await a.sync.syncNow()
    await a.sync.pause()
    await a.client.store.addMessage('s', 'user', 'later')
    await b.sync.syncNow()
    expect([a.sync.getSnapshot().status.state, await texts(b.client)]).toEqual(['paused', []])
    await a.sync.resume()
    await vi.waitFor(async () => expect(await texts(b.client)).toEqual(['later']), soon)
  })

  it('stays paused when it could not be started at first, and in the tabs that heard of that', async () => {
    const hub = createHub()
    const [one, two] = [
      await openTab(hub, 'a9', undefined, { paused: true, transport: lateTransport(hub) }),
      await openTab(hub, 'a9', undefined, { transport: lateTransport(hub) }),
    ]
    await vi.waitFor(
      () => expect([one, two].map(({ sync }) => sync.getSnapshot().status.state)).toEqual(['error', 'error']),
      soon,
    )
    await one.client.store.addMessage('s', 'user', 'private for now')
    await one.sync.close()
    await vi.waitFor(
      () => expect(two.sync.getSnapshot()).toMatchObject({ isLeader: true, status: { state: 'error' } }),
      soon,
    )
    await hasStarted(two)
    expect([two.sync.getSnapshot().status.state, hub.traffic()]).toEqual(['paused', 0])
    await two.sync.resume()
    await vi.waitFor(() => expect(two.sync.getSnapshot().status.state).toBe('synced'), soon)
  })

  it('stays paused in the tab that goes on, though that could not start at first', async () => {
    const [hub, name] = [createHub(), 'a10']
    const [one, two] = [
      await openTab(hub, name),
      await openTab(hub, name, undefined, { transport: lateTransport(hub) }),
    ]
    await one.sync.syncNow()
    await one.sync.pause()
    await one.client.store.addMessage('s', 'user', 'private for now')
    await vi.waitFor(() => expect(two.sync.getSnapshot().status.state).toBe('paused'), soon)
    const traffic = hub.traffic()
    await one.sync.close()
    await vi.waitFor(
      () => expect(two.sync.getSnapshot()).toMatchObject({ isLeader: true, status: { state: 'error' } }),
      soon,
    )
    await hasStarted(two)
    expect([two.sync.getSnapshot().status.state, hub.traffic()]).toEqual(['paused', traffic])
  })

  it('begins paused when that was asked for in another tab while it could not start', async () => {
    const [hub, name] = [createHub(), 'a11']
    const [one, two] = [
      await openTab(hub, name, undefined, { transport: lateTransport(hub) }),
      await openTab(hub, name),
    ]
    await vi.waitFor(
      () => expect([one, two].map(({ sync }) => sync.getSnapshot().status.state)).toEqual(['error', 'error']),
      soon,
    )
    const states: unknown[] = []
    one.sync.subscribe(() => states.push(one.sync.getSnapshot().status.state))
    await two.sync.pause()
    expect([...new Set(states)].filter((state) => state !== 'error')).toEqual(['paused'])
    expect(hub.traffic()).toBe(0)
  })

  it('forgets on signing out what was purged and not told yet', async () => {
    const hub = createHub()
    const { client, sync } = await openTab(hub, 'a7')
    await client.store.addMessage('s', 'user', 'kept by the others')
    await sync.syncNow()
    await sync.pause()
    await client.purge('s')
    expect(await client.store.listPurges()).toHaveLength(1)
    await sync.signOut()
    expect(await client.store.listPurges()).toEqual([])
    const again = openSync(client, { namespace: 'me', transport: () => hub.transport() })
    onTestFinished(() => again.close())
    await again.syncNow()
    expect(await texts(client)).toEqual(['kept by the others'])
  })

  it('lets go of what was asked before it led, when its signal fires', async () => {
    const client = await openSessionStore({ name: 'a6', ...inPage })
    // A transport that reaches nobody.
    const sync = openSync(client, {
      namespace: 'me',
      transport: () => ({
        open: () => ({ ask: () => undefined, close: async () => undefined }),
        close: async () => undefined,
      }),
      paused: true,
    })
    onTestFinished(async () => {
      await sync.close()
      await client.close()
    })
    const ending = new AbortController()
    const planning = sync.plan(ending.signal)
    await vi.waitFor(
      () => expect(sync.getSnapshot()).toMatchObject({ isLeader: true, status: { state: 'paused' } }),
      soon,
    )
    ending.abort()
    await expect(planning).rejects.toMatchObject({ name: 'Aborted' })
    await expect(sync.plan(AbortSignal.abort())).rejects.toMatchObject({ name: 'Aborted' })
  })

  it('goes on and can be closed though a listener throws, which is reported, and the others still hear', async () => {
    const { client, sync } = await openTab(createHub(), 'a12')
    const mistake = new Error('thrown by a listener')
    const others = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    const reported = new Set<unknown>()
    const onReport = (error: unknown): void => void reported.add(error)
    process.on('uncaughtException', onReport)
    onTestFinished(() => {
      process.off('uncaughtException', onReport)
      for (const listener of others) process.on('uncaughtException', listener)
    })
    sync.subscribe(() => {
      throw mistake
    })
    const heard: unknown[] = []
    sync.subscribe(() => heard.push(sync.getSnapshot().status.state))
    await client.store.addMessage('s', 'user', 'hello')
    expect((await sync.syncNow()).state).toBe('synced')
    await sync.close()
    expect(heard).toContain('synced')
    expect(heard.at(-1)).toBe('closed')
    await vi.waitFor(() => expect([...reported]).toEqual([mistake]), soon)
    // What was thrown last is reported before others listen again.
    await new Promise((resolve) => setTimeout(resolve))
  })

  it('ends in peace though its transport does not', async () => {
    const hub = createHub()
    const unhandled: unknown[] = []
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    const onUnhandled = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', onUnhandled)
    onTestFinished(() => {
      process.off('unhandledRejection', onUnhandled)
      for (const listener of others) process.on('unhandledRejection', listener)
    })
    let hasEnded = false
    const transport = (): SyncTransport => ({
      ...hub.transport(),
      close: () => {
        hasEnded = true
        return Promise.reject(new Error('it was gone already'))
      },
    })
    const { sync } = await openTab(hub, 'a13', undefined, { transport })
    await sync.syncNow()
    await sync.close()
    await vi.waitFor(() => expect(hasEnded).toBe(true), soon)
    await new Promise((resolve) => setTimeout(resolve))
    expect(unhandled).toEqual([])
  })

  it('refuses a namespace that names several', async () => {
    const { client } = await openTab(createHub(), 'a4')
    expect(() => openSync(client, { namespace: 'a/b', transport: () => createHub().transport() })).toThrow(
      'namespace must be a string',
    )
  })

  it('goes sealed where there are keys, and says to a tab with others that they are the wrong ones', async () => {
    const hub = createHub()
    const [keys, others] = [await openSyncKeys(drawRootKey(), 'me'), await openSyncKeys(drawRootKey(), 'me')]
    const [a, b] = [await openTab(hub, 'a6', keys), await openTab(hub, 'b6', keys)]
    await a.client.store.addMessage('s', 'user', 'hello')
    await a.sync.syncNow()
    await vi.waitFor(async () => expect(await texts(b.client)).toEqual(['hello']), soon)
    // Whoever comes first says which key is the right one.
    const c = await openTab(hub, 'c6', others)
    await vi.waitFor(() => expect(c.sync.getSnapshot().status.state).toBe('wrongKey'), soon)
    await expect(c.sync.syncNow()).rejects.toMatchObject({ name: 'WrongPassphrase' })
    expect(JSON.stringify(hub.document('me/index').getArray('index').toArray())).not.toContain('hello')
    const { client } = await openTab(hub, 'd6')
    expect(() => openSync(client, { namespace: 'you', keys, transport: () => hub.transport() })).toThrow(
      'for the namespace "me"',
    )
  })

  it('goes on in another tab when it is closed in the one that syncs, whose store stays open', async () => {
    const [hub, name] = [createHub(), 'a8']
    const [one, two] = [await openTab(hub, name), await openTab(hub, name)]
    await one.sync.syncNow()
    expect([one, two].map(({ sync }) => sync.getSnapshot().isLeader)).toEqual([true, false])
    await one.sync.close()
    await one.client.store.addMessage('s', 'user', 'hello')
    expect((await two.sync.syncNow()).state).toBe('synced')
    expect([one, two].map(({ sync }) => sync.getSnapshot().isLeader)).toEqual([false, true])
    const other = await openTab(hub, 'b8')
    await vi.waitFor(async () => expect(await texts(other.client)).toEqual(['hello']), soon)
  })

  it('rejects what is asked of it once it is closed', async () => {
    const { sync } = await openTab(createHub(), 'a5')
    await sync.close()
    await expect(sync.syncNow()).rejects.toMatchObject({ name: 'StorageClosed' })
  })
})
