import { describe, expect, it, vi } from 'vitest'
import type * as Y from 'yjs'
import { SessionError } from '../../src/contract/errors.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { entryId } from '../../src/domain/address.ts'
import { drawRootKey } from '../../src/sync/encryption/root-key.ts'
import { openSyncKeys, type SyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import { sessionDocumentId } from '../../src/sync/session-document-id.ts'
import type { Sync } from '../../src/sync/sync-contract.ts'
import { createHub, type Hub } from './hub.ts'
import { type Device, newDevice } from './synced-device.ts'

const soon = { timeout: 20_000, interval: 5 }
const texts = async (store: SessionStore, key = 'k'): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)
const trash = async (store: SessionStore): Promise<readonly string[]> =>
  (await store.listSessions({ deleted: true })).sessions.map(({ key }) => key)

/** How many entries a document of the server shows. */
const livingIn = (doc: Y.Doc): number => [...doc.share.keys()].reduce((sum, root) => sum + doc.getArray(root).length, 0)

/** How many entries the server shows, by document, where any are left. */
const livingOf = (hub: Hub): readonly (readonly [name: string, entries: number])[] =>
  [...hub.sizes().keys()]
    .filter((name) => !name.endsWith('/index'))
    .map((name) => [name, livingIn(hub.document(name))] as const)
    .filter(([, entries]) => entries > 0)

interface Synced {
  readonly hub: Hub
  readonly stores: readonly [a: SessionStore, b: SessionStore, c: SessionStore]
  readonly syncs: readonly [a: Sync, b: Sync, c: Sync]
  readonly devices: readonly [a: Device, b: Device, c: Device]
}

/** Three devices that have `k`, of which the second is paused. */
async function threeWithSession(keys?: SyncKeys): Promise<Synced> {
  const hub = createHub()
  const devices = [newDevice(), newDevice(), newDevice()] as const
  const syncs: Sync[] = []
  await devices[0].store.addMessage('k', 'user', 'old')
  for (const device of devices) {
    const sync = await device.sync({ transport: hub.transport(), ...(keys && { keys }) })
    await sync.syncNow()
    syncs.push(sync)
  }
  await syncs[1]!.pause()
  const [a, b, c] = devices.map(({ store }) => store) as [SessionStore, SessionStore, SessionStore]
  return { hub, devices, stores: [a, b, c], syncs: syncs as unknown as Synced['syncs'] }
}

/** All show this, and say that they have the same. */
async function expectEverywhere(
  { stores, syncs }: Pick<Synced, 'stores' | 'syncs'>,
  expected: readonly string[],
): Promise<void> {
  await vi.waitFor(async () => {
    for (const sync of syncs) expect(await sync.syncNow()).toMatchObject({ state: 'synced' })
    expect(await Promise.all(stores.map((store) => texts(store)))).toEqual(stores.map(() => expected))
  }, soon)
}

describe('a session that another device purged while more was said here', () => {
  it('is back on all devices once it was brought back', async () => {
    const { hub, stores, syncs } = await threeWithSession()
    const [a, b] = stores
    await a.purge('k')
    await syncs[0].syncNow()
    await b.addMessage('k', 'user', 'B mine')
    syncs[1].resume()
    await syncs[1].syncNow()
    await vi.waitFor(async () => expect(await trash(b)).toEqual(['k']), soon)
    await b.undelete('k')
    expect(await texts(b)).toEqual(['old', 'B mine'])
    await expectEverywhere({ stores, syncs }, ['old', 'B mine'])
    const late = newDevice()
    await (await late.sync({ transport: hub.transport() })).syncNow()
    expect(await texts(late.store)).toEqual(['old', 'B mine'])
  })

  it('arrives although the store cannot forget an earlier purge at first, which the state says', async () => {
    const { hub, stores, syncs } = await threeWithSession()
    const [a, b] = stores
    await a.purge('k')
    await syncs[0].syncNow()
    await syncs[0].close()
    await b.addMessage('k', 'user', 'B mine')
    syncs[1].resume()
    await syncs[1].syncNow()
    await vi.waitFor(async () => expect(await trash(b)).toEqual(['k']), soon)
    await b.undelete('k')
    await syncs[1].syncNow()
    // It is reported once more, of the life that is over.
    const known = (await b.getVector('k'))!
    const d = newDevice()
    let failures = 1
    const store: SessionStore = {
      ...d.store,
      listPurges: async () => [{ key: 'k', vector: known }],
      forgetPurges: async (purges) => {
        if (failures-- > 0) throw new Error('the disk is busy')
        await d.store.forgetPurges(purges)
      },
    }
    const sync = await d.sync({ transport: hub.transport(), store })
    const seen = new Set<string | undefined>()
    sync.subscribe(() => seen.add(sync.status().message))
    await vi.waitFor(async () => expect(await texts(d.store)).toEqual(['old', 'B mine']), soon)
    expect(await sync.syncNow()).toMatchObject({ state: 'synced' })
    expect([...seen]).toContain('Session "k": the disk is busy')
  })

  it('can be purged once more when it was back', async () => {
    const { hub, stores, syncs } = await threeWithSession()
    const [a, b, c] = stores
    await a.purge('k')
    await b.addMessage('k', 'user', 'B mine')
    syncs[1].resume()
    await syncs[1].syncNow()
    await vi.waitFor(async () => expect(await trash(b)).toEqual(['k']), soon)
    await b.undelete('k')
    await expectEverywhere({ stores, syncs }, ['old', 'B mine'])
    await c.purge('k')
    await vi.waitFor(
      async () =>
        expect(await Promise.all(stores.map((store) => store.getMeta('k')))).toEqual([undefined, undefined, undefined]),
      soon,
    )
    await vi.waitFor(
      async () => expect(await Promise.all(stores.map((store) => store.listPurges()))).toEqual([[], [], []]),
      soon,
    )
    expect(livingOf(hub)).toEqual([])
    await a.addMessage('k', 'user', 'third')
    await expectEverywhere({ stores, syncs }, ['third'])
  })

  it('is gone everywhere, and nothing is left to be told, where two devices purge the same life knowing different things of it', async () => {
    const { stores, syncs } = await threeWithSession()
    const [a, b] = stores
    await syncs[0].pause()
    for (const [store, text] of [
      [a, 'A mine'],
      [b, 'B mine'],
    ] as const) {
      await store.addMessage('k', 'user', text)
      await store.purge('k')
    }
    for (const sync of syncs.slice(0, 2)) sync.resume()
    await vi.waitFor(
      async () =>
        expect(await Promise.all(stores.map((store) => store.getMeta('k')))).toEqual([undefined, undefined, undefined]),
      soon,
    )
    await vi.waitFor(
      async () => expect(await Promise.all(stores.map((store) => store.listPurges()))).toEqual([[], [], []]),
      soon,
    )
    await vi.waitFor(
      () => expect(syncs.map((sync) => sync.status().state)).toEqual(['synced', 'synced', 'synced']),
      soon,
    )
  })

  it('counts as unsent until it is known what is kept of it', async () => {
    const { stores, syncs } = await threeWithSession()
    const [a, b] = stores
    await a.purge('k')
    await syncs[0].syncNow()
    expect((await syncs[1].unsent()).sessions).toEqual([])
    await b.addMessage('k', 'user', 'B mine')
    // It is paused: it hears of the purge, and erases nothing.
    await syncs[1].plan()
    expect((await syncs[1].unsent()).sessions).toEqual(['k'])
  })

  it('stays with that device alone until it was brought back', async () => {
    const { hub, stores, syncs } = await threeWithSession()
    const [a, b, c] = stores
    await a.purge('k')
    await syncs[0].syncNow()
    await b.addMessage('k', 'user', 'B mine')
    syncs[1].resume()
    for (const sync of [...syncs, ...syncs]) await sync.syncNow()
    await vi.waitFor(async () => expect((await b.getMeta('k'))?.kept).toBe(true), soon)
    expect([await a.getMeta('k'), await c.getMeta('k')]).toEqual([undefined, undefined])
    expect((await syncs[1].unsent()).sessions).toEqual(['k'])
    await vi.waitFor(
      () => expect(syncs.map((sync) => sync.status().state)).toEqual(['synced', 'synced', 'synced']),
      soon,
    )
    const before = hub.traffic()
    await syncs[1].syncNow()
    expect(hub.traffic() - before).toBeLessThan(400)
  })
})

describe('an account whose sessions are sealed', () => {
  it('has a session back on all devices once it was brought back, and keeps apart what is in the way of another', async () => {
    const keys = await openSyncKeys(drawRootKey(), 'me')
    const { stores, syncs } = await threeWithSession(keys)
    const [a, b] = stores
    await a.purge('k')
    await b.addMessage('k', 'user', 'B mine')
    syncs[1].resume()
    await vi.waitFor(async () => expect(await trash(b)).toEqual(['k']), soon)
    await b.undelete('k')
    await expectEverywhere({ stores, syncs }, ['old', 'B mine'])
    await syncs[1].pause()
    await a.purge('k')
    await b.addMessage('k', 'user', 'B once more')
    await a.addMessage('k', 'user', 'A anew')
    syncs[1].resume()
    await expectEverywhere({ stores, syncs }, ['A anew'])
    expect(await trash(b)).toHaveLength(1)
  })
})

describe('a session that was begun anew under a purged key', () => {
  it.each([0, 1, 2])(
    'is shown by whoever has unsent entries of the one before, which are kept beside it (%i)',
    async (rounds) => {
      const { stores, syncs } = await threeWithSession()
      const [a, b, c] = stores
      await a.purge('k')
      for (let i = 0; i < rounds; i++) await syncs[0].syncNow()
      await a.addMessage('k', 'user', 'A anew')
      // Before B resumes, the list tells of the purge. What B sent earlier would be part of the session begun anew.
      if (rounds !== 1) await syncs[0].syncNow()
      await b.addMessage('k', 'user', 'B mine')
      syncs[1].resume()
      await expectEverywhere({ stores, syncs }, ['A anew'])
      // Twice what is said later, too.
      await b.addMessage('k', 'user', 'and B')
      await expectEverywhere({ stores, syncs }, ['A anew', 'and B'])
      const [kept] = await trash(b)
      expect([await trash(a), await trash(c)]).toEqual([[], []])
      await b.undelete(kept!)
      expect(await texts(b, kept)).toEqual(['old', 'B mine'])
      await vi.waitFor(
        async () =>
          expect(await Promise.all(stores.map((store) => texts(store, kept)))).toEqual(
            stores.map(() => ['old', 'B mine']),
          ),
        soon,
      )
      await expectEverywhere({ stores, syncs }, ['A anew', 'and B'])
    },
  )

  it('is shown by whoever had kept the one before already', async () => {
    const { stores, syncs } = await threeWithSession()
    const [a, b] = stores
    await a.purge('k')
    await syncs[0].syncNow()
    await b.addMessage('k', 'user', 'B mine')
    syncs[1].resume()
    await vi.waitFor(async () => expect(await trash(b)).toEqual(['k']), soon)
    await a.addMessage('k', 'user', 'A anew')
    await expectEverywhere({ stores, syncs }, ['A anew'])
    expect(await trash(b)).toHaveLength(1)
  })

  it('is joined with the one before where that was brought back meanwhile', async () => {
    const { hub, stores, syncs } = await threeWithSession()
    const [a, b] = stores
    await a.purge('k')
    await syncs[0].syncNow()
    await b.addMessage('k', 'user', 'B mine')
    syncs[1].resume()
    await vi.waitFor(async () => expect(await trash(b)).toEqual(['k']), soon)
    hub.down()
    await b.undelete('k')
    await a.addMessage('k', 'user', 'A anew')
    hub.up()
    for (const sync of syncs) sync.retry()
    await expectEverywhere({ stores, syncs }, ['old', 'B mine', 'A anew'])
  })
})

describe('a session that was brought back while others began it anew', () => {
  it.each(['at once', 'after the server was busy', 'after the disk was full'])(
    'has for new devices what was said there, though whoever said it is gone (%s)',
    async (when) => {
      const { hub, stores, syncs, devices } = await threeWithSession()
      const [a, b, c] = stores
      await b.addMessage('k', 'user', 'B mine')
      await a.purge('k')
      await syncs[0].syncNow()
      syncs[1].resume()
      await vi.waitFor(async () => expect(await trash(b)).toEqual(['k']), soon)
      await syncs[1].pause()
      await b.undelete('k')
      await syncs[2].syncNow()
      await c.addMessage('k', 'user', 'C anew')
      expect(await syncs[2].syncNow()).toMatchObject({ state: 'synced' })
      await Promise.all(syncs.map((sync) => sync.close()))
      let isFaulty = when !== 'at once'
      const fault = (): boolean => isFaulty && !(isFaulty = false)
      const plain = hub.transport()
      const again = await devices[1].sync({
        store: {
          ...b,
          merge: async (...asked) => {
            if (when.endsWith('full') && fault()) throw new SessionError('QuotaExceeded', 'The disk is full.')
            return b.merge(...asked)
          },
        },
        transport: {
          ...plain,
          open: (link) => {
            if (!when.endsWith('busy') || link.name.endsWith('/index') || !fault()) return plain.open(link)
            queueMicrotask(() => link.status({ state: 'error', message: 'the server is busy' }))
            return { ask: () => undefined, close: async () => undefined }
          },
        },
      })
      await vi.waitFor(async () => expect(await again.syncNow()).toMatchObject({ state: 'synced' }), soon)
      expect(isFaulty).toBe(false)
      expect(await texts(b)).toEqual(['old', 'B mine', 'C anew'])
      const late = newDevice()
      const four = await late.sync({ transport: hub.transport() })
      await four.syncNow()
      expect(await texts(late.store)).toEqual(['old', 'B mine', 'C anew'])
      await b.purge('k')
      for (const sync of [again, four]) await sync.syncNow()
      await vi.waitFor(() => expect(livingOf(hub)).toEqual([]), soon)
    },
  )
})

describe('a server that goes on from an old backup', () => {
  it('is sent again what it lacks, though the list says that all have the same', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('k', 'user', 'before')
    const one = await a.sync({ transport: hub.transport() })
    await one.syncNow()
    const backup = hub.backup()
    await a.store.addMessage('k', 'user', 'after')
    await a.store.addMessage('l', 'user', 'new')
    await one.syncNow()
    hub.restore(backup)
    await vi.waitFor(async () => expect((await one.syncNow()).state).toBe('synced'), soon)
    await one.close()
    const two = await b.sync({ transport: hub.transport() })
    await two.syncNow()
    expect([await texts(b.store), await texts(b.store, 'l')]).toEqual([['before', 'after'], ['new']])
  })

  it('removes again what was purged since, from whoever knows of it', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    for (const key of ['k', 'l']) await a.store.addMessage(key, 'user', 'secret')
    const one = await a.sync({ transport: hub.transport() })
    const two = await b.sync({ transport: hub.transport() })
    for (const sync of [one, two]) await sync.syncNow()
    const backup = hub.backup()
    for (const key of ['k', 'l']) await a.store.purge(key)
    await a.store.addMessage('l', 'user', 'anew')
    for (const sync of [one, two]) await sync.syncNow()
    await vi.waitFor(async () => expect(await a.store.listPurges()).toEqual([]), soon)
    hub.restore(backup)
    await vi.waitFor(async () => {
      for (const sync of [one, two]) expect((await sync.syncNow()).state).toBe('synced')
      expect(livingOf(hub)).toEqual([[`me/s/${await sessionDocumentId('l')}`, 1]])
    }, soon)
    expect(await texts(b.store, 'l')).toEqual(['anew'])
  })

  it('removes it also where that fails at first, while more is said elsewhere', async () => {
    const hub = createHub()
    const a = newDevice()
    await a.store.addMessage('k', 'user', 'secret')
    const plain = hub.transport()
    let isRefused = false
    const one = await a.sync({
      transport: {
        ...plain,
        open: (link) => {
          if (!isRefused || link.name.endsWith('/index')) return plain.open(link)
          isRefused = false
          queueMicrotask(() => link.status({ state: 'error', message: 'the server is busy' }))
          return { ask: () => undefined, close: async () => undefined }
        },
      },
    })
    await one.syncNow()
    const backup = hub.backup()
    await a.store.purge('k')
    await one.syncNow()
    await vi.waitFor(async () => expect(await a.store.listPurges()).toEqual([]), soon)
    isRefused = true
    hub.restore(backup)
    await vi.waitFor(() => expect(isRefused).toBe(false), soon)
    await a.store.addMessage('l', 'user', 'more')
    await vi.waitFor(async () => expect(livingOf(hub)).toEqual([[`me/s/${await sessionDocumentId('l')}`, 1]]), soon)
  })

  it('is sent by others what somebody did not find there', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await (await a.sync({ transport: hub.transport() })).syncNow()
    const backup = hub.backup()
    await a.store.addMessage('k', 'user', 'new')
    const one = a.sync
    const first = await one({ transport: hub.transport() })
    await first.syncNow()
    // Nobody was there when it went back, and only the list was kept elsewhere.
    const index = hub.backup().get('me/index')!
    await first.close()
    hub.restore(new Map([...backup, ['me/index', index]]))
    const two = await b.sync({ transport: hub.transport() })
    await two.syncNow()
    await (await one({ transport: hub.transport() })).syncNow()
    await vi.waitFor(async () => expect(await texts(b.store)).toEqual(['new']), soon)
  })

  it('is not said to lack what a device found there and does not take', async () => {
    const hub = createHub()
    const [a, b] = [newDevice(), newDevice()]
    await a.store.addMessage('k', 'user', 'said')
    const one = await a.sync({ transport: hub.transport() })
    await one.syncNow()
    const merge: SessionStore['merge'] = async (_, entries) => ({
      added: 0,
      known: 0,
      refused: entries.map(({ w, s }) => ({ id: entryId(w, s), reason: 'not here' })),
    })
    const two = await b.sync({ transport: hub.transport(), store: { ...b.store, merge } })
    const list: string[] = []
    one.subscribe(() => void list.push(...one.sessions().map(({ hash }) => hash)))
    expect(await two.syncNow()).toMatchObject({ state: 'synced', report: { quarantinedCount: 1 } })
    expect(await one.syncNow()).toMatchObject({ state: 'synced' })
    expect(list.filter((hash) => hash === '')).toEqual([])
  })
})
