import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SyncTransport } from '../../src/sync/link.ts'
import type { Sync, SyncOptions } from '../../src/sync/sync-contract.ts'
import { broadcastTransport } from '../../src/sync/transports/channel/broadcast-transport.ts'
import { writePeerMessage } from '../../src/sync/transports/channel/peer-message.ts'
import { portTransport } from '../../src/sync/transports/channel/port-transport.ts'
import { createDevice, type Device } from './synced-device.ts'

const soon = { timeout: 20_000, interval: 5 }

let count = 0
const broadcasts = (): (() => SyncTransport) => {
  const channel = `equals ${count++}`
  return () => broadcastTransport({ channel })
}
const ports = (): (() => SyncTransport) => {
  const { port1, port2 } = new MessageChannel()
  const left = [port1, port2]
  return () => portTransport(left.shift()!)
}

async function open(
  way: () => SyncTransport,
  { on: device = newDevice(), ...options }: Partial<SyncOptions> & { readonly on?: Device } = {},
): Promise<{ readonly device: Device; readonly sync: Sync }> {
  const transport = way()
  const sync = await device.sync({ transport, ...options })
  onTestFinished(async () => {
    await sync.close()
    await transport.close()
  })
  return { device, sync }
}
const newDevice = (): Device => {
  const device = createDevice()
  onTestFinished(() => device.close())
  return device
}
const texts = async ({ store }: Device, key = 's'): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)
const states = (...syncs: readonly Sync[]): readonly string[] => syncs.map((sync) => sync.status().state)

describe.each([
  ['a BroadcastChannel', broadcasts],
  ['a MessagePort', ports],
])('sync among equals over %s', (_, ways) => {
  it('brings sessions that are new on either side to the other, and says that both have the same', async () => {
    const way = ways()
    const [a, b] = [await open(way), await open(way)]
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
    await a.device.store.addMessage('s', 'user', 'from a')
    await b.device.store.addMessage('t', 'user', 'from b')
    await vi.waitFor(
      async () => expect([await texts(b.device), await texts(a.device, 't')]).toEqual([['from a'], ['from b']]),
      soon,
    )
    await vi.waitFor(
      () =>
        expect([
          ...states(a.sync, b.sync),
          a.sync.session('s'),
          b.sync.session('s'),
          a.sync.session('t'),
          b.sync.session('t'),
        ]).toEqual(Array.from({ length: 6 }, () => 'synced')),
      soon,
    )
    await a.device.store.addMessage('s', 'user', 'more')
    await vi.waitFor(async () => expect(await texts(b.device)).toEqual(['from a', 'more']), soon)
    expect((await a.sync.syncNow()).state).toBe('synced')
    expect((await b.sync.syncNow()).report.quarantinedCount).toBe(0)
  })

  it('brings what was there before either knew of the other, more than are exchanged at once', async () => {
    const way = ways()
    const [a, b] = [newDevice(), newDevice()]
    for (let n = 0; n < 7; n++) {
      await a.store.addMessage(`a${n}`, 'user', `from a ${n}`)
      await b.store.addMessage(`b${n}`, 'user', `from b ${n}`)
    }
    const [one, two] = [await open(way, { on: a, window: 2 }), await open(way, { on: b, window: 2 })]
    await vi.waitFor(
      async () =>
        expect([(await a.store.listSessions()).total, (await b.store.listSessions()).total]).toEqual([14, 14]),
      soon,
    )
    await vi.waitFor(() => expect(states(one.sync, two.sync)).toEqual(['synced', 'synced']), soon)
  })

  it('says that nobody is there, and goes on by itself when somebody comes', async () => {
    const way = ways()
    const a = await open(way)
    await a.device.store.addMessage('s', 'user', 'alone')
    expect(states(a.sync)).toEqual(['connecting'])
    await vi.waitFor(() => expect(states(a.sync)).toEqual(['offline']), soon)
    const b = await open(way)
    await vi.waitFor(async () => expect(await texts(b.device)).toEqual(['alone']), soon)
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
    await b.sync.close()
    await vi.waitFor(() => expect(states(a.sync)).toEqual(['offline']), soon)
  })
})

describe('sync among equals', () => {
  it('makes three databases the same', async () => {
    const way = broadcasts()
    const all = [await open(way), await open(way), await open(way)]
    await Promise.all(all.map(({ device }, i) => device.store.addMessage('s', 'user', `from ${i}`)))
    await Promise.all(all.map(({ device }, i) => device.store.addMessage(`own ${i}`, 'user', 'mine')))
    await vi.waitFor(
      async () =>
        expect(
          await Promise.all(
            all.map(async ({ device }) => [(await texts(device)).length, (await device.store.listSessions()).total]),
          ),
        ).toEqual([
          [3, 4],
          [3, 4],
          [3, 4],
        ]),
      soon,
    )
    await vi.waitFor(() => expect(states(...all.map(({ sync }) => sync))).toEqual(['synced', 'synced', 'synced']), soon)
    const [first, ...others] = await Promise.all(all.map(({ device }) => texts(device)))
    for (const other of others) expect(other).toEqual(first)
  })

  it('erases what was purged while it was away, and asks nobody for it again', async () => {
    const way = broadcasts()
    const c = newDevice()
    const [a, b, away] = [await open(way), await open(way), await open(way, { on: c })]
    await a.device.store.addMessage('s', 'user', 'from a')
    await vi.waitFor(
      async () => expect([await texts(b.device), await texts(c)]).toEqual([['from a'], ['from a']]),
      soon,
    )
    await away.sync.close()
    await a.device.store.purge('s')
    await vi.waitFor(async () => expect(await b.device.store.getMeta('s')).toBeUndefined(), soon)
    const back = await open(way, { on: c })
    await vi.waitFor(async () => expect(await c.store.getMeta('s')).toBeUndefined(), soon)
    for (const store of [a.device.store, b.device.store, c.store])
      await vi.waitFor(async () => expect(await store.listPurges()).toEqual([]), soon)
    await vi.waitFor(() => expect(states(back.sync)).toEqual(['synced']), soon)
    expect(back.sync.session('s')).toBe('unknown')
  })

  it('keeps a purge on record while the list that tells of it cannot be saved', async () => {
    const way = broadcasts()
    let isFull = true
    const memory = {
      load: async () => undefined,
      save: async () => {
        if (isFull) throw new Error('The disk is full.')
      },
    }
    const [a, b] = [await open(way, { memory }), await open(way)]
    const { store } = a.device
    await store.addMessage('s', 'user', 'from a')
    await vi.waitFor(async () => expect(await texts(b.device)).toEqual(['from a']), soon)
    await store.purge('s')
    await vi.waitFor(async () => expect(await b.device.store.getMeta('s')).toBeUndefined(), soon)
    await a.sync.syncNow()
    expect(await store.listPurges()).toHaveLength(1)
    isFull = false
    await store.addMessage('t', 'user', 'more')
    await vi.waitFor(async () => expect(await store.listPurges()).toEqual([]), soon)
  })

  it('fetches what nobody who was there had, from whoever comes with it', async () => {
    const way = broadcasts()
    const a = newDevice()
    await a.store.addMessage('s', 'user', 'from a')
    // The list has come when it leaves, and nothing else.
    const leaving = await open(way, { on: a, window: 1 })
    const b = await open(() => {
      const transport = way()
      return {
        ...transport,
        open: (link) =>
          link.name.endsWith('/index') || isOpen
            ? transport.open(link)
            : { ask: () => undefined, close: async () => undefined },
      }
    })
    let isOpen = false
    await vi.waitFor(() => expect(b.sync.sessions().map(({ key }) => key)).toEqual(['s']), soon)
    await leaving.sync.close()
    isOpen = true
    const c = await open(way)
    await vi.waitFor(() => expect([c.sync.sessions().length, ...states(c.sync)]).toEqual([1, 'synced']), soon)
    expect(await texts(c.device)).toEqual([])
    await open(way, { on: a })
    await vi.waitFor(async () => expect(await texts(c.device)).toEqual(['from a']), soon)
  })

  it('erases on all what one has purged', async () => {
    const way = broadcasts()
    const [a, b] = [await open(way), await open(way)]
    await a.device.store.addMessage('s', 'user', 'secret')
    await vi.waitFor(async () => expect(await texts(b.device)).toEqual(['secret']), soon)
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
    await b.device.store.purge('s')
    await vi.waitFor(async () => expect(await a.device.store.getMeta('s')).toBeUndefined(), soon)
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
  })

  it('brings back on all what one has purged and another has kept, once that brings it back', async () => {
    const way = broadcasts()
    const [a, b] = [await open(way), await open(way)]
    await a.device.store.addMessage('s', 'user', 'old')
    await vi.waitFor(async () => expect(await texts(b.device)).toEqual(['old']), soon)
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
    await b.sync.pause()
    await b.device.store.addMessage('s', 'user', 'never there')
    await a.device.store.purge('s')
    b.sync.resume()
    await vi.waitFor(async () => expect(await b.device.store.getMeta('s')).toMatchObject({ kept: true }), soon)
    await b.device.store.undelete('s')
    await vi.waitFor(async () => expect(await texts(a.device)).toEqual(['old', 'never there']), soon)
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
  })

  it('brings back on all what one has kept, though another has begun it anew meanwhile', async () => {
    const way = broadcasts()
    const [a, b, c] = [await open(way), await open(way), await open(way)]
    await a.device.store.addMessage('s', 'user', 'old')
    await vi.waitFor(async () => expect(await texts(b.device)).toEqual(['old']), soon)
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
    await b.sync.pause()
    await b.device.store.addMessage('s', 'user', 'never there')
    await a.device.store.purge('s')
    b.sync.resume()
    await vi.waitFor(async () => expect(await b.device.store.getMeta('s')).toMatchObject({ kept: true }), soon)
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
    await b.sync.pause()
    await b.device.store.undelete('s')
    await a.device.store.addMessage('s', 'user', 'anew')
    await vi.waitFor(async () => expect(await texts(c.device)).toEqual(['anew']), soon)
    await vi.waitFor(() => expect(states(a.sync, c.sync)).toEqual(['synced', 'synced']), soon)
    b.sync.resume()
    await vi.waitFor(async () => {
      const all = await Promise.all([a, b, c].map(async ({ device }) => [...(await texts(device))].sort()))
      expect(all).toEqual(Array.from({ length: 3 }, () => ['anew', 'never there', 'old']))
    }, soon)
    await vi.waitFor(() => expect(states(a.sync, b.sync, c.sync)).toEqual(['synced', 'synced', 'synced']), soon)
  })

  it('does not wait for one that is gone without a word', async () => {
    const channel = `equals ${count++}`
    const way = (): SyncTransport => broadcastTransport({ channel })
    const [a, b] = [await open(way), await open(way)]
    await a.device.store.addMessage('s', 'user', 'hello')
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
    const gone = new BroadcastChannel(channel)
    gone.postMessage(
      writePeerMessage({ name: 'me/index', kind: 'hello', from: 'gone', to: '', payload: new Uint8Array([0]) }),
    )
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['syncing', 'syncing']), soon)
    gone.close()
    await vi.waitFor(() => expect(states(a.sync, b.sync)).toEqual(['synced', 'synced']), soon)
  })
})
