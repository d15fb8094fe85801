import { afterEach, expect, it, vi } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { writerKey } from '../../src/domain/address.ts'
import { sessionDocumentId } from '../../src/sync/session-document-id.ts'
import type { Sync } from '../../src/sync/sync-contract.ts'
import { createHub, type Hub } from './hub.ts'
import { createDevice, type Device } from './synced-device.ts'

const devices: Device[] = []
const newDevice = (): Device => {
  const device = createDevice()
  devices.push(device)
  return device
}
afterEach(async () => {
  await Promise.all(devices.splice(0).map((device) => device.close()))
})

const old = 'tel:1'
const made = 'sk_of_tel_1'
const scope = {
  version: 1,
  agent_id: 'main',
  channel: 'tel',
  account: 'default',
  dimensions: ['chat'],
  values: { chat: 'direct:1' },
} as const
const soon = { timeout: 20_000, interval: 5 }

/** All that is to be equal everywhere: the sessions, what is said in them, and where each name leads. */
async function shown(store: SessionStore): Promise<unknown> {
  const { sessions } = await store.listSessions()
  const list = await Promise.all(
    sessions.map(
      async ({ key, promotedTo }) =>
        [
          key,
          {
            promotedTo,
            leadsTo: await store.resolveSessionKey(key),
            texts: (await store.getHistory(key)).map(({ content }) => content),
            aliases: (await store.getMeta(key))?.aliases,
          },
        ] as const,
    ),
  )
  return Object.fromEntries(list.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const syncs = new WeakMap<Device, Promise<Sync>>()
function syncOf(hub: Hub, device: Device): Promise<Sync> {
  const sync = syncs.get(device) ?? device.sync({ transport: hub.transport() })
  syncs.set(device, sync)
  return sync
}

async function settled(hub: Hub, ...wanted: readonly Device[]): Promise<void> {
  const running = await Promise.all(wanted.map((device) => syncOf(hub, device)))
  await vi.waitFor(async () => {
    const [first, ...others] = await Promise.all(wanted.map(({ store }) => shown(store)))
    for (const other of others) expect(other).toEqual(first)
    for (const sync of running) expect([sync.status().state, sync.status().pending]).toEqual(['synced', 0])
  }, soon)
}

const texts = async (store: SessionStore, key: string): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)

/** The writers in a session's document on the server. */
const writersIn = async (hub: Hub, key: string): Promise<readonly string[]> =>
  [...hub.document(`me/s/${await sessionDocumentId(key)}`).share.keys()].sort()
const writersOf = async (store: SessionStore, key: string): Promise<readonly string[]> =>
  [
    ...new Set((await store.changes(key, {}, undefined, { isKey: true })).entries.map(({ w }) => `w:${writerKey(w)}`)),
  ].sort()

it('keeps within reach what was written offline to a name that another device gave to a new session', async () => {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  await b.store.addMessage(old, 'user', 'offline')
  await a.store.ensureSessionMetadata(made, scope, [old])
  await a.store.addMessage(old, 'user', 'online')
  await (await syncOf(hub, a)).syncNow()
  await settled(hub, a, b)
  for (const { store } of [a, b])
    expect([(await texts(store, old)).length, await store.resolveSessionKey(old)]).toEqual([2, made])
  await b.store.addMessage(old, 'user', 'later')
  await vi.waitFor(async () => expect((await texts(a.store, old)).at(-1)).toBe('later'), soon)
})

it('takes what comes late under a name into the session that has it, and mixes up no documents', async () => {
  const hub = createHub()
  const [a, b, c] = [newDevice(), newDevice(), newDevice()]
  await b.store.addMessage(old, 'user', 'b was first')
  await (await syncOf(hub, b)).syncNow()
  await a.store.ensureSessionMetadata(made, scope, [old])
  await a.store.addMessage(made, 'user', 'a knew nothing')
  const own = await writersOf(a.store, made)
  await settled(hub, a, b)
  await settled(hub, a, b, c)
  expect((await texts(c.store, old)).length).toBe(2)
  expect(await writersIn(hub, old)).toEqual(await writersOf(a.store, old))
  expect(await writersIn(hub, made)).toEqual(await writersOf(a.store, made))
  expect(await writersIn(hub, old)).not.toEqual(expect.arrayContaining([...own]))
})

it('goes on in one session while a device that has not heard of it writes to the old one', async () => {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  await a.store.addMessage(old, 'user', 'both know this')
  await settled(hub, a, b)
  hub.down()
  expect((await a.store.ensureSessionMetadata(made, scope, [old])).promoted).toBe(old)
  await a.store.addMessage(old, 'user', 'in the new one')
  await b.store.addMessage(old, 'user', 'in the old one')
  await b.store.ensureSessionMetadata(old, { ...scope, channel: 'other' }, ['tel:+1'])
  hub.up()
  await settled(hub, a, b)
  for (const { store } of [a, b]) {
    expect((await texts(store, made)).length).toBe(3)
    expect([await store.resolveSessionKey('tel:+1'), await store.getSessionScope(old)]).toEqual([made, scope])
  }
})

it('leads everywhere to the same of two sessions that two devices made of one', async () => {
  const hub = createHub()
  const [a, b, c] = [newDevice(), newDevice(), newDevice()]
  await a.store.addMessage(old, 'user', 'both know this')
  await settled(hub, a, b)
  hub.down()
  await a.store.ensureSessionMetadata('one', scope, [old])
  await b.store.ensureSessionMetadata('two', scope, [old])
  await a.store.addMessage(old, 'user', 'from a')
  await b.store.addMessage(old, 'user', 'from b')
  hub.up()
  await settled(hub, a, b)
  await settled(hub, a, b, c)
  for (const { store } of [a, b, c])
    expect([await texts(store, 'one'), await texts(store, 'two')]).toEqual([
      ['both know this', 'from a'],
      ['both know this', 'from b'],
    ])
  const list = await syncOf(hub, c)
  const leadsTo = await c.store.resolveSessionKey(old)
  expect(Object.fromEntries(list.sessions().map(({ key, promotedTo }) => [key, promotedTo]))).toEqual({
    one: undefined,
    two: undefined,
    [old]: leadsTo,
  })
})

it('erases no session because another device erased one that has only a name in common with it', async () => {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  await a.store.addMessage(old, 'user', 'known to both')
  await settled(hub, a, b)
  hub.down()
  await b.store.ensureSessionMetadata(made, scope, [old])
  await b.store.addMessage(made, 'user', 'precious')
  await a.store.purge(old)
  hub.up()
  await settled(hub, a, b)
  for (const { store } of [a, b]) {
    expect(await texts(store, old)).toEqual(['known to both', 'precious'])
    expect((await store.listSessions()).sessions.map(({ key }) => key)).toEqual([made])
  }
})

it('gives a name back everywhere when its session gives it up', async () => {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  await a.store.addMessage(old, 'user', 'first')
  await a.store.ensureSessionMetadata(made, scope, [old])
  await settled(hub, a, b)
  await b.store.updateMeta(made, { aliases: [] })
  await b.store.addMessage(old, 'user', 'on its own')
  await settled(hub, a, b)
  for (const { store } of [a, b])
    expect([await texts(store, old), await texts(store, made)]).toEqual([['first', 'on its own'], ['first']])
})

it('begins a session anew with a name whose history was purged with it, and brings nothing of that back', async () => {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  await a.store.addMessage(old, 'user', 'purged')
  await settled(hub, a, b)
  await a.store.ensureSessionMetadata(made, scope, [old])
  await a.store.addMessage(made, 'user', 'purged too')
  await settled(hub, a, b)
  await a.store.purge(made)
  await settled(hub, a, b)
  await a.store.ensureSessionMetadata(made, scope, [old])
  await a.store.addMessage(made, 'user', 'anew')
  await settled(hub, a, b)
  for (const { store } of [a, b]) expect(await texts(store, made)).toEqual(['anew'])
})

it('leads a name to one session everywhere that two devices gave to two sessions while they were apart', async () => {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  for (const key of [old, 'one', 'two']) await a.store.addMessage(key, 'user', key)
  await settled(hub, a, b)
  for (const device of [a, b]) await (await syncOf(hub, device)).pause()
  await a.store.ensureSessionMetadata('one', scope, [old])
  await b.store.ensureSessionMetadata('two', { ...scope, values: { chat: 'direct:2' } }, [old])
  for (const device of [a, b]) (await syncOf(hub, device)).resume()
  await settled(hub, a, b)
  const [here, there] = await Promise.all([a, b].map(({ store }) => store.resolveSessionKey(old)))
  expect(here).toBe(there)
  await a.store.addMessage(old, 'user', 'said by a')
  await b.store.addMessage(old, 'user', 'said by b')
  await settled(hub, a, b)
  for (const { store } of [a, b])
    expect(await texts(store, here!)).toEqual(expect.arrayContaining([old, 'said by a', 'said by b']))
})
