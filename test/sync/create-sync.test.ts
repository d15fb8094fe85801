import { describe, expect, it, vi } from 'vitest'
import { Doc, encodeStateAsUpdate, encodeStateVector } from 'yjs'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import type { LinkStatus, SyncTransport } from '../../src/sync/link.ts'
import { createHub, type Hub } from './hub.ts'
import { newDevice } from './synced-device.ts'

const texts = async (store: SessionStore, key = 's'): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)
const soon = { timeout: 20_000, interval: 5 }

/** A way to a server of its own, which gives none to the documents of sessions as long as they may not be opened. */
function refusing(status: LinkStatus, mayOpen: () => boolean): SyncTransport {
  const transport = createHub().transport()
  return {
    ...transport,
    open: (link) => {
      if (mayOpen() || link.name === 'me/index') return transport.open(link)
      queueMicrotask(() => link.status(status))
      return { ask: () => undefined, close: async () => undefined }
    },
  }
}

/** A way to a server that sees an empty document in the place of each one here, and lets nobody write. */
function readingOnly(hub: Hub): SyncTransport {
  const transport = hub.transport()
  return {
    ...transport,
    open: (link) =>
      transport.open({
        ...link,
        doc: new Doc(),
        status: (status) => link.status(status.state === 'connected' ? { state: 'readonly' } : status),
      }),
  }
}

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
    const one = await a.sync({ transport: readingOnly(hub) })
    await b.sync({ transport: hub.transport() })
    for (let i = 1; i <= 3; i++) {
      await b.store.addMessage('s', 'user', `from b ${i}`)
      await vi.waitFor(async () => expect((await texts(a.store)).length).toBe(1 + i), soon)
      await vi.waitFor(() => expect([one.session('s'), one.status().pending]).toEqual(['readonly', 0]), soon)
    }
    expect(await texts(b.store)).not.toContain('never sent')
  })

  it('that is asked for now comes to an end on a device that may only read, and has purged something', async () => {
    const a = newDevice()
    const reading = readingOnly(createHub())
    const sync = await a.sync({ transport: reading })
    await a.store.addMessage('s', 'user', 'never sent')
    expect((await sync.syncNow()).state).toBe('readonly')
    await a.store.purge('s')
    expect((await sync.syncNow()).state).toBe('readonly')
  })

  it('remembers what was purged while it may only read, and removes it from the server when it may write', async () => {
    const hub = createHub()
    const a = newDevice()
    await a.store.addMessage('s', 'user', 'secret')
    const writing = await a.sync({ transport: hub.transport() })
    await writing.syncNow()
    await writing.close()
    let answers = 0
    const reading = readingOnly(hub)
    const sync = await a.sync({
      transport: {
        ...reading,
        open: (link) => {
          const connection = reading.open({
            ...link,
            peerHas: (stateVector) => {
              link.peerHas(stateVector)
              // The session is asked about as often as would prove to a device that may write that it is gone there.
              if (link.name.startsWith('me/s/') && answers++ < 10) connection.ask()
            },
          })
          return connection
        },
      },
    })
    await sync.syncNow()
    await a.store.purge('s')
    await vi.waitFor(() => expect(answers).toBeGreaterThan(10), soon)
    expect((await sync.syncNow()).state).toBe('readonly')
    expect((await a.store.listPurges()).map(({ key }) => key)).toEqual(['s'])
    await sync.close()
    const again = await a.sync({ transport: hub.transport() })
    expect((await again.syncNow()).state).toBe('synced')
    expect(await a.store.getMeta('s')).toBeUndefined()
    expect(await a.store.listPurges()).toEqual([])
    for (const name of hub.sizes().keys())
      if (name.startsWith('me/s/'))
        expect(Buffer.from(encodeStateAsUpdate(hub.document(name))).includes('secret')).toBe(false)
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
    expect(
      two
        .sessions()
        .map(({ title }) => title)
        .sort(),
    ).toEqual(['title 0', 'title 1', 'title 2', 'title 3', 'title 4'])
    expect((await b.store.listSessions()).total).toBe(0)
    two.resume()
    await two.syncNow()
    expect((await b.store.listSessions()).total).toBe(5)
  })

  it.each([
    [1, 9],
    [17, 3],
  ])(
    'with a window of 3, sessions of %i messages are connected %i at a time, until all are fetched',
    async (messages, times) => {
      const hub = createHub()
      const [a, b] = [newDevice(), newDevice()]
      for (let i = 0; i < 12; i++)
        for (let j = 0; j < messages; j++) await a.store.addMessage(`s${i}`, 'user', `message ${j}`)
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
      expect(most).toBe(times)
    },
  )

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

  it('that is asked for now waits for none of what is gathered', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    const options = { transport: hub.transport(), announceMs: 3_600_000 }
    await a.store.addMessage('s', 'user', 'one')
    await (await a.sync(options)).syncNow()
    expect((await (await b.sync({ ...options, transport: hub.transport() })).syncNow()).state).toBe('synced')
    expect((await b.store.getHistory('s')).map(({ content }) => content)).toEqual(['one'])
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
    await vi.waitFor(
      async () => expect([(await texts(a.store)).length, (await texts(b.store)).length]).toEqual([2, 2]),
      soon,
    )
    expect(await texts(a.store)).toEqual(await texts(b.store))
    await vi.waitFor(() => expect([one.status().state, two.status().state]).toEqual(['synced', 'synced']), soon)
  })

  it('tries what was refused once more when it is asked to, without waiting for its turn', async () => {
    const a = newDevice()
    let mayOpen = false
    const guarded = refusing({ state: 'denied', message: 'not yours' }, () => mayOpen)
    await a.store.addMessage('s', 'user', 'mine')
    const sync = await a.sync({ transport: guarded, retryMs: [60_000, 60_000] })
    expect(await sync.syncNow()).toMatchObject({ state: 'error', message: 'Session "s": not yours' })
    mayOpen = true
    expect(await sync.syncNow()).toMatchObject({ state: 'synced' })
  })

  it('claims nothing of a session that can not be reached, and goes on by itself when it can', async () => {
    const a = newDevice()
    let mayOpen = false
    const guarded = refusing({ state: 'offline' }, () => mayOpen)
    await a.store.addMessage('s', 'user', 'mine')
    const sync = await a.sync({ transport: guarded })
    const told = { state: 'error', message: 'Session "s": the other side cannot be reached. Sync retries by itself.' }
    expect(await sync.syncNow()).toMatchObject(told)
    expect((await sync.unsent()).sessions).toEqual(['s'])
    mayOpen = true
    await vi.waitFor(() => expect([sync.status().state, sync.session('s')]).toEqual(['synced', 'synced']), soon)
  })

  it('looks again at a change that could not be read, though nothing changes any more', async () => {
    const hub = createHub()
    const a = newDevice()
    let isFailing = false
    let refused = 0
    const getVector: SessionStore['getVector'] = async (key) => {
      if (!isFailing) return a.store.getVector(key)
      refused += 1
      throw new Error('the database was closed')
    }
    const store: SessionStore = { ...a.store, getVector }
    const sync = await a.sync({ transport: hub.transport(), store })
    await sync.syncNow()
    isFailing = true
    await a.store.addMessage('s', 'user', 'said meanwhile')
    await vi.waitFor(() => expect(refused).toBeGreaterThan(0), soon)
    await vi.waitFor(
      () =>
        expect(sync.status()).toMatchObject({
          state: 'error',
          message: 'Session "s" could not be read: the database was closed',
        }),
      soon,
    )
    isFailing = false
    await vi.waitFor(() => expect([sync.status().state, sync.session('s')]).toEqual(['synced', 'synced']), soon)
  })

  it.each(['listSessions', 'listPurges'] as const)(
    'claims nothing, sends nothing and fetches nothing before it knows what is here, where %s fails at the start, and goes on by itself',
    async (method) => {
      const hub = createHub()
      const a = newDevice()
      const b = newDevice()
      await a.store.addMessage('s', 'user', 'mine')
      await a.store.addMessage('gone', 'user', 'purged')
      await (await b.sync({ transport: hub.transport() })).syncNow()
      await a.store.purge('gone')
      let isFailing = true
      const fails = (): never => {
        throw new Error('the database was closed')
      }
      const store: SessionStore = {
        ...a.store,
        [method]: async (...given: readonly unknown[]) =>
          isFailing ? fails() : (a.store[method] as (...all: readonly unknown[]) => Promise<unknown>)(...given),
      }
      const sync = await a.sync({ transport: hub.transport(), store })
      await vi.waitFor(
        () => expect(sync.status()).toMatchObject({ state: 'error', message: 'the database was closed' }),
        soon,
      )
      await expect(sync.syncNow()).rejects.toThrow('the database was closed')
      await expect(sync.unsent()).rejects.toThrow('the database was closed')
      isFailing = false
      await vi.waitFor(() => expect([sync.status().state, sync.session('s')]).toEqual(['synced', 'synced']), soon)
      expect(await sync.unsent()).toEqual({ sessions: [], attachments: 0 })
      await vi.waitFor(
        async () => expect((await b.store.getHistory('s')).map(({ content }) => content)).toEqual(['mine']),
        soon,
      )
    },
  )

  it('asks again for an answer that did not know of the last that was said in the list', async () => {
    const hub = createHub()
    const transport = hub.transport()
    let before: Uint8Array | undefined
    const late: SyncTransport = {
      ...transport,
      open: (link) =>
        transport.open({
          ...link,
          peerHas: (vector) => {
            link.peerHas(link.name === 'me/index' ? (before ?? vector) : vector)
            if (link.name === 'me/index') before = undefined
          },
        }),
    }
    const a = newDevice()
    const sync = await a.sync({ transport: late })
    await sync.syncNow()
    before = encodeStateVector(hub.document('me/index'))
    await a.store.addMessage('s', 'user', 'hello')
    await vi.waitFor(() => expect(before).toBeUndefined(), soon)
    await vi.waitFor(() => expect([sync.status().state, sync.session('s')]).toEqual(['synced', 'synced']), soon)
  })

  it('says that it is offline until it is connected again, while it tries, too', async () => {
    const hub = createHub()
    const sync = await newDevice().sync({ transport: hub.transport() })
    await sync.syncNow()
    const said: string[] = []
    sync.subscribe(() => said.push(sync.status().state))
    hub.down()
    await vi.waitFor(() => expect(said.length).toBeGreaterThan(10), soon)
    expect(new Set(said)).toEqual(new Set(['offline']))
    hub.up()
    await vi.waitFor(() => expect(sync.status().state).toBe('synced'), soon)
  })

  it('sends next to nothing when nothing changed', async () => {
    const hub = createHub()
    const a = newDevice()
    for (let i = 0; i < 10; i++)
      await a.store.append(
        `s${i}`,
        Array.from({ length: 20 }, (_, n) => ({
          type: 'message',
          message: { role: 'user', content: `text ${n} `.repeat(100) },
        })),
      )
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
