import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openSessionStore, type SessionClient } from '../../src/index.ts'
import { openSync } from '../../src/sync-client/open-sync.ts'
import type { DeviceSync } from '../../src/sync-client/types.ts'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { openSyncKeys, type SyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import { createHub, type Hub } from './hub.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})
const soon = { timeout: 20_000, interval: 10 }

async function openTab(hub: Hub, name: string, keys?: SyncKeys): Promise<{ store: SessionClient; sync: DeviceSync }> {
  const store = await openSessionStore({ name })
  const sync = openSync(store, { namespace: 'me', ...(keys && { keys }), transport: () => hub.transport(), retryMs: [5, 20], tellMs: 5 })
  open.push(store, sync)
  return { store, sync }
}
const texts = async (store: SessionClient): Promise<readonly unknown[]> => (await store.getHistory('s')).map(({ content }) => content)

describe('sync of a device', () => {
  it('brings the sessions of one device to another', async () => {
    const hub = createHub()
    const [a, b] = [await openTab(hub, 'a1'), await openTab(hub, 'b1')]
    await a.store.addMessage('s', 'user', 'hello')
    await a.sync.syncNow()
    await vi.waitFor(async () => expect(await texts(b.store)).toEqual(['hello']), soon)
    await vi.waitFor(() => expect([a.sync.getSnapshot().status.state, b.sync.getSnapshot().status.state]).toEqual(['synced', 'synced']), soon)
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
    await a.store.addMessage('s', 'user', 'later')
    await b.sync.syncNow()
    expect([a.sync.getSnapshot().status.state, await texts(b.store)]).toEqual(['paused', []])
    await a.sync.resume()
    await vi.waitFor(async () => expect(await texts(b.store)).toEqual(['later']), soon)
  })

  it('lets go of what was asked before it led, when its signal fires', async () => {
    const store = await openSessionStore({ name: 'a6' })
    // A transport that reaches nobody.
    const sync = openSync(store, { namespace: 'me', transport: () => ({ open: () => ({ ask: () => undefined, close: async () => undefined }), close: async () => undefined }), paused: true })
    open.push(store, sync)
    const ending = new AbortController()
    const planning = sync.plan(ending.signal)
    await vi.waitFor(() => expect(sync.getSnapshot()).toMatchObject({ isLeader: true, status: { state: 'paused' } }), soon)
    ending.abort()
    await expect(planning).rejects.toMatchObject({ name: 'Aborted' })
    await expect(sync.plan(AbortSignal.abort())).rejects.toMatchObject({ name: 'Aborted' })
  })

  it('refuses a namespace that names several', async () => {
    const { store } = await openTab(createHub(), 'a4')
    expect(() => openSync(store, { namespace: 'a/b', transport: () => createHub().transport() })).toThrow('namespace must be a text')
  })

  it('goes sealed where there are keys, and says to a tab with others that they are the wrong ones', async () => {
    const hub = createHub()
    const [keys, others] = [await openSyncKeys(drawRootKey(), 'me'), await openSyncKeys(drawRootKey(), 'me')]
    const [a, b, c] = [await openTab(hub, 'a6', keys), await openTab(hub, 'b6', keys), await openTab(hub, 'c6', others)]
    await a.store.addMessage('s', 'user', 'hello')
    await a.sync.syncNow()
    await vi.waitFor(async () => expect(await texts(b.store)).toEqual(['hello']), soon)
    await vi.waitFor(() => expect(c.sync.getSnapshot().status.state).toBe('wrongKey'), soon)
    await expect(c.sync.syncNow()).rejects.toMatchObject({ name: 'WrongPassphrase' })
    expect(JSON.stringify(hub.document('me/index').getArray('index').toArray())).not.toContain('hello')
    const { store } = await openTab(hub, 'd6')
    expect(() => openSync(store, { namespace: 'you', keys, transport: () => hub.transport() })).toThrow('for the namespace "me"')
  })

  it('rejects what is asked of it once it is closed', async () => {
    const { sync } = await openTab(createHub(), 'a5')
    await sync.close()
    await expect(sync.syncNow()).rejects.toMatchObject({ name: 'StorageClosed' })
  })
})
