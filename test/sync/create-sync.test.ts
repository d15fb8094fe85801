import { afterEach, describe, expect, it, vi } from 'vitest'
import { Doc } from 'yjs'
import type { SessionStore } from '../../src/contract/store.ts'
import type { SyncTransport } from '../../src/sync/link.ts'
import { createDevice, type Device } from './synced-device.ts'
import { createHub } from './hub.ts'

const devices: Device[] = []
const newDevice = (): Device => {
  const device = createDevice()
  devices.push(device)
  return device
}
afterEach(async () => {
  await Promise.all(devices.splice(0).map((device) => device.close()))
})

const texts = async (store: SessionStore, key = 's'): Promise<readonly unknown[]> => (await store.getHistory(key)).map(({ content }) => content)
const soon = { timeout: 10_000, interval: 5 }

describe('sync', () => {
  it('brings what was said offline on both to both, in one order', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'from a')
    await b.store.addMessage('s', 'user', 'from b')
    await b.store.addMessage('only b', 'user', 'hello')
    const one = await a.sync({ transport: hub.transport() })
    expect((await one.syncNow()).state).toBe('synced')
    const two = await b.sync({ transport: hub.transport() })
    expect((await two.syncNow()).state).toBe('synced')
    await vi.waitFor(async () => expect((await texts(a.store)).length).toBe(2), soon)
    expect(await texts(a.store)).toEqual(await texts(b.store))
    await vi.waitFor(async () => expect(await texts(a.store, 'only b')).toEqual(['hello']), soon)
    expect(two.status().report.received).toBe(1)
  })

  it('carries over what is said while both are there', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.sync({ transport: hub.transport() })
    await b.sync({ transport: hub.transport() })
    for (let i = 0; i < 5; i++) {
      const [from, to] = i % 2 === 0 ? [a, b] : [b, a]
      await from.store.addMessage('s', 'user', `m${i}`)
      await vi.waitFor(async () => expect((await texts(to.store)).length).toBe(i + 1), soon)
    }
    expect(await texts(a.store)).toEqual(await texts(b.store))
  })

  it('keeps no session busy with another side that takes nothing, however often it changes', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'never sent')
    const transport = hub.transport()
    const reading: SyncTransport = {
      ...transport,
      // The server sees an empty document, and lets nobody write.
      open: (link) => transport.open({ ...link, doc: new Doc(), status: (status) => link.status(status.state === 'connected' ? { state: 'readonly' } : status) }),
    }
    const one = await a.sync({ transport: reading })
    await b.sync({ transport: hub.transport() })
    for (let i = 1; i <= 3; i++) {
      await b.store.addMessage('s', 'user', `from b ${i}`)
      await vi.waitFor(async () => expect((await texts(a.store)).length).toBe(1 + i), soon)
      await vi.waitFor(() => expect([one.session('s'), one.status().pending]).toEqual(['readonly', 0]), soon)
    }
    expect(await texts(b.store)).not.toContain('never sent')
  })

  it('says that it is offline as soon as the network is known to be gone, and comes back by itself', async () => {
    const a = newDevice()
    const sync = await a.sync({ transport: createHub().transport() })
    await sync.syncNow()
    sync.drop()
    expect(sync.status().state).toBe('offline')
    await vi.waitFor(() => expect(sync.status().state).toBe('synced'), soon)
  })

  it('paints the list of a new device before the sessions are there', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    for (let i = 0; i < 5; i++) await a.store.addMessage(`s${i}`, 'user', `title ${i}`)
    await (await a.sync({ transport: hub.transport() })).syncNow()
    const two = await b.sync({ transport: hub.transport(), paused: true })
    const plan = await two.plan()
    expect(plan.download.length).toBe(5)
    expect(two.sessions().map(({ title }) => title).sort()).toEqual(['title 0', 'title 1', 'title 2', 'title 3', 'title 4'])
    expect((await b.store.listSessions()).total).toBe(0)
    two.resume()
    await two.syncNow()
    expect((await b.store.listSessions()).total).toBe(5)
  })

  it('never has more sessions connected than its window, and still fetches all', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    for (let i = 0; i < 12; i++) await a.store.addMessage(`s${i}`, 'user', `title ${i}`)
    let most = 0
    const counting = (): SyncTransport => {
      const transport = hub.transport()
      let open = 0
      return {
        ...transport,
        open: (link) => {
          const connection = transport.open(link)
          if (link.name === 'me/index') return connection
          most = Math.max(most, (open += 1))
          return { ...connection, close: async () => void ((open -= 1), await connection.close()) }
        },
      }
    }
    for (const device of [a, b]) await (await device.sync({ transport: counting(), window: 3 })).syncNow()
    expect((await b.store.listSessions()).total).toBe(12)
    expect(most).toBe(3)
  })

  it('keeps deleted what was deleted elsewhere, and brings it back everywhere', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'one')
    const one = await a.sync({ transport: hub.transport() })
    const two = await b.sync({ transport: hub.transport() })
    await one.syncNow()
    await vi.waitFor(async () => expect(await texts(b.store)).toEqual(['one']), soon)
    await a.store.delete('s')
    await vi.waitFor(async () => expect((await b.store.getMeta('s'))?.deletedAt).toBeDefined(), soon)
    await b.store.undelete('s')
    await vi.waitFor(async () => expect(await texts(a.store)).toEqual(['one']), soon)
    await two.syncNow()
  })

  it('erases everywhere what one device purged, and lets nobody bring it back', async () => {
    const hub = createHub()
    const [a, b, c] = [newDevice(), newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'secret')
    const one = await a.sync({ transport: hub.transport() })
    const two = await b.sync({ transport: hub.transport() })
    await one.syncNow()
    await vi.waitFor(async () => expect(await texts(b.store)).toEqual(['secret']), soon)
    await two.close()
    await a.store.purge('s')
    await vi.waitFor(() => expect(one.sessions()).toEqual([]), soon)
    const again = await b.sync({ transport: hub.transport() })
    await again.syncNow()
    await vi.waitFor(async () => expect(await b.store.getMeta('s')).toBeUndefined(), soon)
    const third = await c.sync({ transport: hub.transport() })
    await third.syncNow()
    expect((await c.store.listSessions()).total).toBe(0)
  })

  it('erases what another device purges while both are there', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'secret')
    const one = await a.sync({ transport: hub.transport() })
    const two = await b.sync({ transport: hub.transport() })
    await one.syncNow()
    await vi.waitFor(async () => expect([await texts(b.store), two.session('s')]).toEqual([['secret'], 'synced']), soon)
    await two.syncNow()
    await a.store.purge('s')
    await vi.waitFor(async () => expect(await b.store.getMeta('s')).toBeUndefined(), soon)
  })

  it('erases elsewhere what was purged here before there was any connection', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('s', 'user', 'secret')
    await (await a.sync({ transport: hub.transport() })).syncNow()
    const first = await b.sync({ transport: hub.transport() })
    await first.syncNow()
    await first.close()
    hub.down()
    const again = await b.sync({ transport: hub.transport() })
    await vi.waitFor(() => expect(again.status().state).toBe('offline'), soon)
    await b.store.purge('s')
    hub.up()
    await vi.waitFor(async () => expect(await a.store.getMeta('s')).toBeUndefined(), soon)
    expect((await again.syncNow()).state).toBe('synced')
    expect((await b.store.listSessions()).total).toBe(0)
  })

  it('goes on by itself when the server is back', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    const one = await a.sync({ transport: hub.transport() })
    const two = await b.sync({ transport: hub.transport() })
    await one.syncNow()
    await two.syncNow()
    hub.down()
    await vi.waitFor(() => expect(one.status().state).toBe('offline'), soon)
    await a.store.addMessage('s', 'user', 'from a')
    await b.store.addMessage('s', 'user', 'from b')
    hub.up()
    await vi.waitFor(async () => expect([(await texts(a.store)).length, (await texts(b.store)).length]).toEqual([2, 2]), soon)
    expect(await texts(a.store)).toEqual(await texts(b.store))
    await vi.waitFor(() => expect([one.status().state, two.status().state]).toEqual(['synced', 'synced']), soon)
  })

  it('sends next to nothing when nothing changed', async () => {
    const hub = createHub()
    const a = newDevice()
    for (let i = 0; i < 10; i++) await a.store.append(`s${i}`, Array.from({ length: 20 }, (_, n) => ({ type: 'message', message: { role: 'user', content: `text ${n} `.repeat(100) } })))
    const one = await a.sync({ transport: hub.transport() })
    await one.syncNow()
    const before = hub.traffic()
    expect(before).toBeGreaterThan(100_000)
    hub.down()
    hub.up()
    await vi.waitFor(() => expect(one.status().state).toBe('synced'), soon)
    expect(hub.traffic() - before).toBeLessThan(1000)
  })

  it('says what it would do before it does it', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('mine', 'user', 'a')
    await a.store.addMessage('both', 'user', 'a')
    await b.store.addMessage('yours', 'user', 'b')
    await b.store.addMessage('both', 'user', 'b')
    await (await b.sync({ transport: hub.transport() })).syncNow()
    const one = await a.sync({ transport: hub.transport(), paused: true })
    expect(await one.plan()).toEqual({ upload: ['mine'], download: ['yours'], exchange: ['both'], erase: [] })
    expect([...hub.document('me/s/x').share.keys()]).toEqual([])
    expect((await a.store.listSessions()).total).toBe(2)
  })
})
