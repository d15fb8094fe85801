import { afterEach, describe, expect, it, vi } from 'vitest'
import * as Y from 'yjs'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { sessionDocumentId } from '../../src/sync/session-document-id.ts'
import type { Sync } from '../../src/sync/sync-contract.ts'
import type { RememberedSync, SyncMemory } from '../../src/sync/sync-memory.ts'
import { createHub, type Hub } from './hub.ts'
import { createDevice, type Device } from './synced-device.ts'

const devices: Device[] = []
const newDevice = (...given: Parameters<typeof createDevice>): Device => {
  const device = createDevice(...given)
  devices.push(device)
  return device
}
afterEach(async () => {
  await Promise.all(devices.splice(0).map((device) => device.close()))
})

const soon = { timeout: 20_000, interval: 5 }
const texts = async (store: SessionStore, key = 's'): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)
const id = await sessionDocumentId('s')
const onServer = (hub: Hub): Y.Doc => hub.document(`me/s/${id}`)
const bytesOnServer = (hub: Hub): number => Y.encodeStateAsUpdate(onServer(hub)).length
const keysOf = (sync: Sync): readonly string[] => sync.sessions().map(({ key }) => key)

/** Two devices with a session of a hundred messages of a thousand bytes. */
async function twoWithSession(): Promise<{
  readonly hub: Hub
  readonly a: Device
  readonly b: Device
  readonly one: Sync
  readonly two: Sync
}> {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  await a.store.setHistory(
    's',
    Array.from({ length: 100 }, (_, i) => ({ role: 'user', content: `secret ${i} `.padEnd(1000, 'x') })),
  )
  const one = await a.sync({ transport: hub.transport() })
  await one.syncNow()
  const two = await b.sync({ transport: hub.transport() })
  await two.syncNow()
  expect(await texts(b.store)).toHaveLength(100)
  return { hub, a, b, one, two }
}

describe('a session that was purged', () => {
  it('is erased from the server by some bytes, and nothing is left to be told', async () => {
    const { hub, a, b, one, two } = await twoWithSession()
    const before = bytesOnServer(hub)
    let sent = 0
    onServer(hub).on('update', (update: Uint8Array) => (sent += update.length))
    await a.store.purge('s')
    await vi.waitFor(() => expect(bytesOnServer(hub)).toBeLessThan(before / 100), soon)
    expect(sent).toBeLessThan(100)
    await vi.waitFor(
      async () => expect([await a.store.listPurges(), await b.store.listPurges()]).toEqual([[], []]),
      soon,
    )
    await vi.waitFor(async () => expect(await b.store.getMeta('s')).toBeUndefined(), soon)
    for (const sync of [one, two])
      expect(await sync.syncNow()).toMatchObject({ state: 'synced', report: { quarantinedCount: 0 } })
    expect([keysOf(one), keysOf(two)]).toEqual([[], []])
  })

  it('keeps what was said on another device in the moment in which it is erased there', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'gone')
    const one = await a.sync({ transport: hub.transport() })
    await one.syncNow()
    let isSaid = false
    const purge: SessionStore['purge'] = async (...given) => {
      if (!isSaid) await b.store.addMessage('s', 'user', 'kept')
      isSaid = true
      return b.store.purge(...given)
    }
    const two = await b.sync({ transport: hub.transport(), store: { ...b.store, purge } })
    await two.syncNow()
    await a.store.purge('s')
    await vi.waitFor(async () => expect((await b.store.getMeta('s'))?.deletedAt).toBeDefined(), soon)
    expect([isSaid, two.status().report.quarantinedCount]).toEqual([true, 1])
    await b.store.undelete('s')
    expect(await texts(b.store)).toEqual(['gone', 'kept'])
  })

  it('is let go of by the server also where it was begun anew and purged once more while that was noted of the first', async () => {
    const hub = createHub()
    const a = newDevice()
    await a.store.addMessage('s', 'user', 'first')
    let notes = 0
    const forgetPurges: SessionStore['forgetPurges'] = async (...given) => {
      if (notes++ === 0) {
        await a.store.addMessage('s', 'user', 'second')
        const told = new Promise((resolve) => hub.document('me/index').once('update', resolve))
        await a.store.purge('s')
        await told
      }
      await a.store.forgetPurges(...given)
    }
    const one = await a.sync({ transport: hub.transport(), store: { ...a.store, forgetPurges } })
    await one.syncNow()
    await a.store.purge('s')
    await vi.waitFor(() => expect([notes > 0, one.status().state]).toEqual([true, 'synced']), soon)
    await vi.waitFor(async () => expect(await a.store.listPurges()).toEqual([]), soon)
  })

  it('is told to others when it was purged while nothing synced', async () => {
    const { hub, a, b, one } = await twoWithSession()
    await one.close()
    await a.store.purge('s')
    const again = await a.sync({ transport: hub.transport() })
    await again.syncNow()
    await vi.waitFor(
      async () => expect([await a.store.getMeta('s'), await b.store.getMeta('s')]).toEqual([undefined, undefined]),
      soon,
    )
    expect(bytesOnServer(hub)).toBeLessThan(1000)
  })

  it('is told to others when it was purged while sync was paused', async () => {
    const { hub, a, b, one } = await twoWithSession()
    await one.pause()
    await a.store.purge('s')
    one.resume()
    await one.syncNow()
    await vi.waitFor(
      async () => expect([await a.store.getMeta('s'), await b.store.getMeta('s')]).toEqual([undefined, undefined]),
      soon,
    )
    expect(bytesOnServer(hub)).toBeLessThan(1000)
  })

  it('is told to others when it was purged offline and sync was started anew before there was a server', async () => {
    const { hub, a, b, one, two } = await twoWithSession()
    await Promise.all([one.close(), two.close()])
    hub.down()
    const offline = await a.sync({ transport: hub.transport() })
    await vi.waitFor(() => expect(offline.status().state).toBe('offline'), soon)
    await a.store.purge('s')
    await offline.close()
    hub.up()
    await (await a.sync({ transport: hub.transport() })).syncNow()
    await (await b.sync({ transport: hub.transport() })).syncNow()
    await vi.waitFor(
      async () => expect([await a.store.getMeta('s'), await b.store.getMeta('s')]).toEqual([undefined, undefined]),
      soon,
    )
  })

  it('is told to others when a tab purged it that sync heard nothing of', async () => {
    const hub = createHub()
    const backend = createMemoryBackend()
    const [a, b] = [newDevice(backend), newDevice()]
    await a.store.addMessage('s', 'user', 'secret')
    const one = await a.sync({ transport: hub.transport() })
    await one.syncNow()
    await (await b.sync({ transport: hub.transport() })).syncNow()
    await one.close()
    await createSessionStore(backend).purge('s')
    await (await a.sync({ transport: hub.transport() })).syncNow()
    await vi.waitFor(
      async () => expect([await a.store.getMeta('s'), await b.store.getMeta('s')]).toEqual([undefined, undefined]),
      soon,
    )
  })

  it('is erased from the server in the end, where that broke off', async () => {
    const { hub, a, one, two } = await twoWithSession()
    await two.close()
    // Everybody hears of it, but for the session's own document.
    const transport = hub.transport()
    await one.close()
    const half = await a.sync({
      transport: {
        ...transport,
        open: (link) =>
          link.name.endsWith('/index') ? transport.open(link) : { ask: () => undefined, close: async () => undefined },
      },
    })
    await vi.waitFor(() => expect(half.status().state).toBe('synced'), soon)
    await a.store.purge('s')
    await vi.waitFor(() => expect(keysOf(half)).toEqual([]), soon)
    await half.close()
    expect(await a.store.listPurges()).toHaveLength(1)
    expect(bytesOnServer(hub)).toBeGreaterThan(100_000)
    await (await a.sync({ transport: hub.transport() })).syncNow()
    expect(bytesOnServer(hub)).toBeLessThan(1000)
    expect(await a.store.listPurges()).toEqual([])
  })

  it('can be begun anew under its key, by whoever has nothing of the one before', async () => {
    const { hub, a, b, one, two } = await twoWithSession()
    await two.close()
    await one.close()
    await a.store.purge('s')
    await a.store.addMessage('s', 'user', 'anew')
    const again = await a.sync({ transport: hub.transport() })
    await again.syncNow()
    expect(bytesOnServer(hub)).toBeLessThan(1000)
    const other = await b.sync({ transport: hub.transport() })
    await vi.waitFor(async () => expect(await texts(b.store)).toEqual(['anew']), soon)
    const third = newDevice()
    const last = await third.sync({ transport: hub.transport() })
    await last.syncNow()
    expect(await texts(third.store)).toEqual(['anew'])
    await third.store.addMessage('s', 'user', 'and more')
    for (const { store } of [a, b])
      await vi.waitFor(async () => expect(await texts(store)).toEqual(['anew', 'and more']), soon)
    for (const sync of [again, other, last])
      expect(await sync.syncNow()).toMatchObject({ state: 'synced', report: { quarantinedCount: 0 } })
    await vi.waitFor(async () => expect(await a.store.listPurges()).toEqual([]), soon)
    // Nobody contradicts anybody for ever.
    const { traffic } = hub
    const before = traffic()
    await again.syncNow()
    expect(traffic()).toBe(before)
  })

  it('stays purged where another device said something of it at the same time', async () => {
    const { hub, a, b, one, two } = await twoWithSession()
    await Promise.all([one.pause(), two.pause()])
    await a.store.purge('s')
    await b.store.updateMeta('s', { title: 'renamed' })
    one.resume()
    two.resume()
    await Promise.all([one.syncNow(), two.syncNow()])
    await vi.waitFor(async () => expect((await b.store.getMeta('s'))?.deletedAt).toBeDefined(), soon)
    expect(await a.store.getMeta('s')).toBeUndefined()
    expect([keysOf(one), keysOf(two)]).toEqual([[], []])
    expect(bytesOnServer(hub)).toBeLessThan(1000)
  })
})

describe('a session that was purged without all that others know of it', () => {
  it('is deleted and kept by who has more, and comes back to nobody else', async () => {
    const { hub, a, b, one, two } = await twoWithSession()
    await one.pause()
    await b.store.addMessage('s', 'user', 'and more')
    await two.syncNow()
    await a.store.purge('s')
    one.resume()
    await one.syncNow()
    await vi.waitFor(async () => expect((await b.store.getMeta('s'))?.deletedAt).toBeDefined(), soon)
    const third = newDevice()
    await (await third.sync({ transport: hub.transport() })).syncNow()
    for (const { store } of [a, third])
      expect([(await store.listSessions()).total, (await store.listSessions({ deleted: true })).total]).toEqual([0, 0])
    await b.store.undelete('s')
    expect((await texts(b.store)).at(-1)).toBe('and more')
  })
})

describe('a session that is gone without having been purged', () => {
  /** What sync keeps beside the database, and what a lost one leaves. */
  function keptMemory(): SyncMemory {
    let kept: RememberedSync | undefined
    return { load: async () => kept, save: async (state) => void (kept = structuredClone(state)) }
  }

  it('comes back when the database was lost, and is purged nowhere', async () => {
    const hub = createHub()
    const memory = keptMemory()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'kept')
    const one = await a.sync({ transport: hub.transport(), memory })
    await one.syncNow()
    await (await b.sync({ transport: hub.transport() })).syncNow()
    await one.close()
    const wiped = newDevice()
    await (await wiped.sync({ transport: hub.transport(), memory })).syncNow()
    expect([await texts(wiped.store), await texts(b.store)]).toEqual([['kept'], ['kept']])
  })

  it('comes back when all that was purged was forgotten, as on signing out', async () => {
    const { hub, a, b, one } = await twoWithSession()
    await one.close()
    await a.store.purge('s')
    await a.store.forgetPurges()
    await (await a.sync({ transport: hub.transport() })).syncNow()
    expect([(await texts(a.store)).length, (await texts(b.store)).length]).toEqual([100, 100])
  })
})
