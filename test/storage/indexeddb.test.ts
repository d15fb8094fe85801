import {
  IDBDatabase as FakeDatabase,
  IDBObjectStore as FakeObjectStore,
  forceCloseDatabase,
  IDBFactory,
  IDBKeyRange,
} from 'fake-indexeddb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { NoticeChange } from '../../src/contract/change.ts'
import { isSessionError } from '../../src/contract/errors.ts'
import { openCoreBackend } from '../../src/storage/indexeddb/core-backend.ts'
import { formats } from '../../src/storage/indexeddb/formats.ts'
import {
  type IndexedDbBackend,
  type OpenIndexedDbOptions,
  openIndexedDbBackend,
} from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { openNatively } from '../../src/storage/indexeddb/open-natively.ts'
import { nativeVersion } from '../../src/storage/indexeddb/schema.ts'
import { packEntry } from '../../src/storage/packed-entry.ts'
import {
  batchOf,
  editAt,
  entriesAt,
  entryAt,
  inLane,
  numbersIn,
  orderAt,
  planSession,
  readLane,
} from './backend-fixtures.ts'
import { changeStore, damageIndexedDb, openNative } from './damage-indexeddb.ts'

const newerFormat = formats.length + 1

import { schemaOf } from './schema-of.ts'

const name = 'keepsession'
let factory: IDBFactory
let connections: IDBDatabase[]
let notices: NoticeChange['name'][]

/** Remembers the connections it opens. */
function spyOnOpen(): void {
  const open = factory.open.bind(factory)
  factory.open = (...args) => {
    const request = open(...args)
    request.addEventListener('success', () => connections.push(request.result))
    return request
  }
}

/** How the session worker opens: without Dexie, and without what only jobs need. */
const openWithoutDexie: typeof openIndexedDbBackend = (options) =>
  openCoreBackend(openNatively, options, () => ({})) as Promise<IndexedDbBackend>
const openers = [
  ['with Dexie', openIndexedDbBackend],
  ['natively', openWithoutDexie],
] as const

let openBackend: typeof openIndexedDbBackend
const openHere = (more: Partial<OpenIndexedDbOptions> = {}) =>
  openBackend({ name, indexedDB: factory, IDBKeyRange, onNotice: (notice) => notices.push(notice.name), ...more })

const databaseNames = async () => (await factory.databases()).map((database) => database.name)

const deleteDatabase = () =>
  new Promise<void>((resolve, reject) => {
    const request = factory.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })

/** Opens with a version of its own; the caller closes it. */
const openVersion = (version: number, upgrade: (database: IDBDatabase) => void = () => undefined) =>
  new Promise<IDBDatabase>((resolve, reject) => {
    const request = factory.open(name, version)
    request.onupgradeneeded = () => upgrade(request.result)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

beforeEach(() => {
  openBackend = openIndexedDbBackend
  factory = new IDBFactory()
  connections = []
  notices = []
  spyOnOpen()
})

afterEach(() => {
  vi.restoreAllMocks()
  for (const connection of connections) connection.close()
})

describe.each(openers)('opening %s', (_, open) => {
  beforeEach(() => {
    openBackend = open
  })

  it('is closed once the browser has finished every transaction, also of reads that were answered', async () => {
    const backend = await openHere()
    let running = 0
    const begin = connections[0]!.transaction.bind(connections[0])
    connections[0]!.transaction = (...args) => {
      const transaction = begin(...args)
      running++
      for (const end of ['complete', 'abort']) transaction.addEventListener(end, () => running--)
      return transaction
    }
    await backend.loadSession('a')
    expect(running).toBe(1)
    await backend.close()
    expect(running).toBe(0)
  })

  it('ends a read by aborting it, and tells no write to commit before it was answered once', async () => {
    const backend = await openHere()
    const ends: string[] = []
    const begin = connections[0]!.transaction.bind(connections[0])
    connections[0]!.transaction = (...args) => {
      const transaction = begin(...args)
      let isAnswered = false
      transaction.addEventListener('success', () => (isAnswered = true), true)
      for (const end of ['complete', 'abort'])
        transaction.addEventListener(end, () => ends.push(`${transaction.mode} ${end}`))
      const commit = transaction.commit.bind(transaction)
      transaction.commit = () => {
        if (!isAnswered) ends.push('too early')
        commit()
      }
      return transaction
    }
    await backend.loadSession('a')
    await backend.flush!()
    await backend.close()
    expect(ends).toEqual(['readonly abort', 'readwrite complete'])
  })

  it('draws an epoch for a new database, and finds it again', async () => {
    const first = await openHere()
    expect([first.isNew, first.epoch]).toEqual([true, expect.stringMatching(/^[0-9a-f]{32}$/)])
    await first.close()
    const second = await openHere()
    expect([second.isNew, second.epoch]).toEqual([false, first.epoch])
  })

  it('creates the database once when two tabs open it together', async () => {
    const [first, second] = await Promise.all([openHere(), openHere()])
    expect(first.epoch).toBe(second.epoch)
    expect([first.isNew, second.isNew].filter(Boolean)).toHaveLength(1)
  })

  it('rejects where there is no IndexedDB', async () => {
    await expect(openIndexedDbBackend({ name })).rejects.toMatchObject({ name: 'StorageUnavailable' })
  })

  it('rejects with the cause when the browser fails to open it', async () => {
    vi.spyOn(console, 'warn').mockReturnValue()
    const broken = new Proxy(factory, {
      get: (target, property) => {
        if (property !== 'open') return Reflect.get(target, property)
        return () => {
          throw new DOMException('Internal error opening backing store for indexedDB.open.', 'UnknownError')
        }
      },
    })
    await expect(openHere({ indexedDB: broken })).rejects.toMatchObject({
      name: 'StorageUnavailable',
      cause: { name: 'UnknownError' },
    })
  })

  it('leaves a database of newer code alone', async () => {
    const newer = await openVersion(nativeVersion(newerFormat), (database) => database.createObjectStore('later'))
    newer.close()
    await expect(openHere()).rejects.toMatchObject({ name: 'VersionConflict' })
    const after = await openNative(factory, name)
    expect([after.version, [...after.objectStoreNames]]).toEqual([nativeVersion(newerFormat), ['later']])
  })

  it('leaves a database of a newer format alone', async () => {
    const first = await openHere()
    await first.close()
    await changeStore(factory, name, 'info', (store) =>
      store.put({ formatVersion: newerFormat, epoch: first.epoch }, 'database'),
    )
    await expect(openHere()).rejects.toMatchObject({ name: 'VersionConflict' })
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['other fields', { formats: 2 }],
    ['something else', 'nonsense'],
  ])('opens a database of which the first row is damaged: %s left', async (_, left) => {
    const first = await openHere()
    await planSession('a', 1).write(first)
    await first.close()
    await (left === undefined
      ? changeStore(factory, name, 'info', (store) => store.delete('database'))
      : changeStore(factory, name, 'info', (store) => store.put(left, 'database')))
    const again = await openHere()
    expect([again.epoch, again.isNew, (await again.listSessions()).length, notices]).toEqual([
      first.epoch,
      false,
      1,
      ['repaired'],
    ])
    await again.close()
    await openHere()
    expect(notices).toEqual(['repaired'])
  })

  it('takes a database for another one that no longer knows its epoch', async () => {
    const first = await openHere()
    await planSession('a', 1).write(first)
    await first.close()
    for (const key of ['database', 'epoch']) await changeStore(factory, name, 'info', (store) => store.put({}, key))
    const again = await openHere()
    expect(again.epoch).toMatch(/^[0-9a-f]{32}$/)
    expect([again.epoch === first.epoch, (await again.listSessions()).length]).toEqual([false, 1])
  })

  it('leaves a database of somebody else alone', async () => {
    vi.spyOn(console, 'warn').mockReturnValue()
    const other = await openVersion(10, (database) => database.createObjectStore('theirs'))
    other.close()
    await expect(openHere()).rejects.toMatchObject({ name: 'StorageUnavailable' })
    const after = await openNative(factory, name)
    expect([after.version, [...after.objectStoreNames]]).toEqual([10, ['theirs']])
  })

  it('gives up when another tab holds an older version open, and lets go of the database when it comes', async () => {
    const old = await openVersion(5, (database) => database.createObjectStore('old'))
    await expect(openHere({ blockedAfterMs: 30 })).rejects.toMatchObject({ name: 'UpgradeBlocked' })
    expect(notices).toEqual(['upgradeBlocked'])
    old.close()
    // Which waits for all connections to be closed.
    await deleteDatabase()
    expect(await databaseNames()).toEqual([])
  })

  it('says when the browser found the database corrupt and began a new one', async () => {
    const open = factory.open.bind(factory)
    factory.open = (...args) => {
      const request = open(...args)
      request.addEventListener('upgradeneeded', (event) =>
        Object.assign(event, { dataLoss: 'total', dataLossMessage: 'checksum mismatch' }),
      )
      return request
    }
    expect((await openHere()).isNew).toBe(true)
    expect(notices).toEqual(['dataLost'])
  })
})

it('makes the same stores with Dexie and without', async () => {
  const schemas = []
  for (const [how, open] of openers) {
    const backend = await open({ name: how, indexedDB: factory, IDBKeyRange })
    await backend.close()
    const database = await openNative(factory, how)
    schemas.push(schemaOf(database))
    database.close()
  }
  expect(schemas[1]).toEqual(schemas[0])
})

it.each(openers)('goes on %s in what was made the other way', async (_, open) => {
  const [, other] = openers.find(([, opener]) => opener !== open)!
  const first = await other({ name, indexedDB: factory, IDBKeyRange })
  await planSession('a', 1).write(first)
  await first.close()
  const second = await open({ name, indexedDB: factory, IDBKeyRange })
  expect([second.isNew, second.epoch, (await second.listSessions()).length]).toEqual([false, first.epoch, 1])
})

describe.each(openers)('a connection opened %s', (how, open) => {
  beforeEach(() => {
    openBackend = open
  })

  it('is opened again when the browser closed it', async () => {
    const backend = await openHere()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, [entryAt(0)]) })
    forceCloseDatabase(connections[0] as never)
    await vi.waitFor(() => expect(() => connections[0]!.transaction('info')).toThrow(), { timeout: 20_000 })
    await a.write(backend, { append: inLane(0, [entryAt(1)]) })
    expect(await numbersIn(backend, 1)).toEqual([0, 1])
    expect(connections).toHaveLength(2)
    expect(notices).toEqual([])
  })

  it('is opened again, once for all calls, when it is found closed', async () => {
    const backend = await openHere()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, [entryAt(0)]) })
    connections[0]!.close()
    const [numbers, outcome, rows] = await Promise.all([
      numbersIn(backend, 1),
      backend.commit(batchOf(a.plan()), 'relaxed'),
      backend.listSessions(),
    ])
    expect([numbers, outcome, rows.length]).toEqual([[0], { stored: true }, 1])
    expect(connections).toHaveLength(2)
  })

  it('is not opened again after close', async () => {
    const backend = await openHere()
    await backend.close()
    await expect(backend.listSessions()).rejects.toMatchObject({ name: 'StorageClosed' })
    expect(connections).toHaveLength(1)
  })

  it('lets a newer version through, and refuses to go on', async () => {
    const backend = await openHere()
    const newer = await openVersion(nativeVersion(newerFormat))
    expect(notices).toEqual(['upgradeRequired'])
    await expect(backend.listSessions()).rejects.toMatchObject({ name: 'VersionConflict' })
    newer.close()
    await expect(backend.commit(batchOf(planSession('a', 1).plan()), 'relaxed')).rejects.toMatchObject({
      name: 'VersionConflict',
    })
    expect(notices).toEqual(['upgradeRequired'])
  })

  it('lets the database be deleted, and never goes on in an empty one', async () => {
    const backend = await openHere()
    await planSession('a', 1).write(backend)
    await deleteDatabase()
    await expect(backend.listSessions()).rejects.toMatchObject({ name: 'DataLoss' })
    await expect(backend.commit(batchOf(planSession('b', 2).plan()), 'relaxed')).rejects.toMatchObject({
      name: 'DataLoss',
    })
    expect(await databaseNames()).toEqual([])
    expect(notices).toEqual(['dataLost'])
  })

  it('does not go on in another database of the same name', async () => {
    const backend = await openHere()
    await deleteDatabase()
    await openHere()
    await expect(backend.listSessions()).rejects.toMatchObject({ name: 'DataLoss' })
    await expect(backend.listSessions()).rejects.toMatchObject({ name: 'DataLoss' })
    expect(notices).toEqual(['dataLost'])
  })

  it('does not go on in a database that became newer while it was closed', async () => {
    const backend = await openHere()
    connections[0]!.close()
    await changeStore(factory, name, 'info', (store) =>
      store.put({ formatVersion: newerFormat, epoch: backend.epoch }, 'database'),
    )
    await expect(backend.listSessions()).rejects.toMatchObject({ name: 'VersionConflict' })
  })

  it('opens again for the call when an opening failed', async () => {
    const backend = await openHere()
    await planSession('a', 1).write(backend)
    connections[0]!.close()
    vi.spyOn(factory, 'open').mockImplementationOnce(() => {
      throw new DOMException('Internal error.', 'AbortError')
    })
    expect(await backend.listSessions()).toHaveLength(1)
  })

  it('gives an opening up after three tries, tells the calls of the next second at once, and comes back by itself', async () => {
    const losses: boolean[] = []
    const backend = await openHere({ onLost: (_, isFinal) => void losses.push(isFinal) })
    await planSession('a', 1).write(backend)
    connections[0]!.close()
    const open = vi.spyOn(factory, 'open').mockImplementation(() => {
      throw new DOMException('Internal error opening backing store for indexedDB.open.', 'UnknownError')
    })
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => backend.listSessions()))
    expect(
      outcomes.every(
        ({ status, ...outcome }) =>
          status === 'rejected' && isSessionError((outcome as PromiseRejectedResult).reason, 'StorageUnavailable'),
      ),
    ).toBe(true)
    await expect(backend.listSessions()).rejects.toMatchObject({ name: 'StorageUnavailable' })
    // Dexie makes four of each.
    expect({ tries: open.mock.calls.length, losses }).toEqual({ tries: how === 'natively' ? 3 : 12, losses: [true] })
    open.mockRestore()
    await expect.poll(() => backend.listSessions()).toHaveLength(1)
  })

  it('takes the durability asked for', async () => {
    const backend = await openHere()
    const transaction = vi.spyOn(FakeDatabase.prototype, 'transaction')
    const a = planSession('a', 1)
    for (const durability of ['strict', 'relaxed'] as const) await backend.commit(batchOf(a.plan()), durability)
    expect(transaction.mock.calls.map(([, mode, options]) => [mode, options])).toEqual([
      ['readwrite', { durability: 'strict' }],
      ['readwrite', { durability: 'relaxed' }],
    ])
  })

  it('opens only the stores a write needs', async () => {
    const backend = await openHere()
    const a = planSession('a', 1)
    await a.write(backend)
    const transaction = vi.spyOn(FakeDatabase.prototype, 'transaction')
    await a.write(backend, { append: inLane(0, [entryAt(0)]) })
    await a.write(backend, {
      append: inLane(0, [entryAt(1)]),
      operations: [{ id: 'o', fingerprint: '', result: null, n: 0 }],
    })
    expect(transaction.mock.calls.map(([stores]) => stores)).toEqual([
      ['sessions', 'entries'],
      ['sessions', 'entries', 'operations'],
    ])
  })
})

describe('records', () => {
  const stored = async (store: string) => ({
    keys: await changeStore(factory, name, store, (one) => one.getAllKeys()),
    values: await changeStore<{ e: unknown[]; mids?: unknown }[]>(factory, name, store, (one) => one.getAll()),
  })

  it('are written full when many entries come at once', async () => {
    const backend = await openHere()
    await planSession('a', 1).write(backend, { append: inLane(0, entriesAt(0, 511)) })
    const { keys, values } = await stored('entries')
    expect(values.map(({ e }) => e.length)).toEqual(Array(8).fill(64))
    expect(keys[1]).toEqual([1, 0, orderAt(64)])
    expect(values.some((value) => 'mids' in value)).toBe(false)
  })

  it('are in the index of message ids only where there is one', async () => {
    const backend = await openHere()
    const withMid = (n: number, mid: string) => entryAt(n, { data: { mid } })
    await planSession('a', 1).write(backend, {
      append: inLane(0, [withMid(0, 'x'), entryAt(1), withMid(2, 'x'), withMid(3, 'y')]),
    })
    expect((await stored('entries')).values[0]?.mids).toEqual([
      [1, 'x'],
      [1, 'y'],
    ])
  })

  it('are all read, also more of them than come in one call', async () => {
    const backend = await openHere()
    const a = planSession('a', 1)
    for (const entry of entriesAt(0, 159)) await a.write(backend, { append: inLane(0, [entry]) })
    expect(await readLane(backend, 1)).toEqual({ entries: entriesAt(0, 159), unreadable: [] })
    const tail = await backend.readRange({ session: 1, lane: 0, from: orderAt(10), to: orderAt(150) })
    expect(tail.entries).toEqual(entriesAt(10, 150))
  })

  it('are not read beyond what is asked for', async () => {
    const backend = await openHere()
    await planSession('a', 1).write(backend, { append: inLane(0, entriesAt(0, 999)) })
    const get = vi.spyOn(FakeObjectStore.prototype, 'get')
    const count = async (range: { from?: string; to?: string; limit: number; reverse?: boolean }) => {
      get.mockClear()
      await backend.readRange({ session: 1, lane: 0, from: '', to: '~', ...range })
      return get.mock.calls.length
    }
    expect(await count({ limit: 512 })).toBe(9)
    expect(await count({ from: orderAt(512), limit: 50, reverse: true, to: orderAt(520) })).toBe(1)
    expect(await count({ from: orderAt(500), limit: 50, reverse: true, to: orderAt(520) })).toBe(2)
    expect(await count({ limit: 50, reverse: true })).toBe(2)
  })

  it('leave large data outside, and erase it with its entry', async () => {
    const backend = await openHere()
    const a = planSession('a', 1)
    const large = (n: number) => entryAt(n, { data: { text: 'x'.repeat(40_000) } })
    await a.write(backend, {
      append: inLane(0, [large(0), entryAt(1), large(2)]),
      edits: [{ lane: 0, order: orderAt(1), mark: editAt(9, { text: 'y'.repeat(40_000) }) }],
    })
    expect((await stored('bodies')).keys).toEqual([
      [1, 0, orderAt(0)],
      [1, 0, orderAt(1), 1],
      [1, 0, orderAt(2)],
    ])
    expect(JSON.stringify((await stored('entries')).values).length).toBeLessThan(2_000)
    await a.write(backend, { erase: [{ lane: 0, orders: [orderAt(1), orderAt(2)] }] })
    expect((await stored('bodies')).keys).toEqual([[1, 0, orderAt(0)]])
  })

  it('give up single entries that are damaged, and name the record', async () => {
    const backend = await openHere()
    await planSession('a', 1).write(backend, { append: inLane(0, entriesAt(0, 3)) })
    const { e } = (await stored('entries')).values[0]!
    const orderTwice = e[0]
    await damageIndexedDb(factory, name, [1, 0, orderAt(0)], {
      e: [e[0], 'junk', orderTwice, e[2], [...(e[3] as unknown[]).slice(0, 10)]],
    })
    expect(await readLane(backend, 1)).toEqual({ entries: [entryAt(0), entryAt(2)], unreadable: [orderAt(0)] })
    await backend.setAside(1, 0, orderAt(0))
    expect(await readLane(backend, 1)).toEqual({ entries: [entryAt(0), entryAt(2)], unreadable: [] })
    const aside = await stored('aside')
    expect(aside.keys).toEqual([[1, 0, orderAt(0)]])
    expect(aside.values).toMatchObject([[{ e: [e[0], 'junk', e[0], e[2], {}] }]])
  })

  it.each<[string, unknown]>([
    ['a number', 5],
    ['null', null],
    ['an empty record', { e: [] }],
    ['a list', [1, 2]],
    ['an entry before its key', { e: [packEntry(entryAt(3))] }],
  ])('that are %s are named', async (_, value) => {
    const backend = await openHere()
    await planSession('a', 1).write(backend, { append: inLane(0, entriesAt(0, 99)) })
    await damageIndexedDb(factory, name, [1, 0, orderAt(64)], value)
    expect(await readLane(backend, 1)).toEqual({ entries: entriesAt(0, 63), unreadable: [orderAt(64)] })
  })

  it('are named when data outside of them is missing, and set aside without the entry it belonged to', async () => {
    const backend = await openHere()
    await planSession('a', 1).write(backend, {
      append: inLane(0, [entryAt(0), entryAt(1, { data: { text: 'x'.repeat(40_000) } }), entryAt(2)]),
    })
    await changeStore(factory, name, 'bodies', (store) => store.clear())
    expect(await readLane(backend, 1)).toEqual({ entries: [entryAt(0), entryAt(2)], unreadable: [orderAt(0)] })
    await backend.setAside(1, 0, orderAt(0))
    expect(await readLane(backend, 1)).toEqual({ entries: [entryAt(0), entryAt(2)], unreadable: [] })
  })

  it('keep what was found in their place when lost entries come again', async () => {
    const backend = await openHere()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 9)) })
    for (const junk of ['first', 'second']) {
      await damageIndexedDb(factory, name, [1, 0, orderAt(0)], junk)
      await a.write(backend, { insert: inLane(0, entriesAt(0, 9)) })
    }
    expect((await stored('aside')).values).toEqual([['first', 'second']])
    expect(await readLane(backend, 1)).toEqual({ entries: entriesAt(0, 9), unreadable: [] })
  })
})

describe('rows', () => {
  it('that are damaged are left out of the list, and refused when asked for', async () => {
    const backend = await openHere()
    for (const [i, key] of ['a', 'b', 'c'].entries()) await planSession(key, i + 1).write(backend)
    await changeStore(factory, name, 'sessions', (store) => store.put({ key: 'a', junk: true }))
    await changeStore(factory, name, 'details', (store) => store.delete(2))
    expect((await backend.listSessions()).map(({ key }) => key)).toEqual(['b', 'c'])
    for (const key of ['a', 'b'])
      await expect(backend.loadSession(key)).rejects.toMatchObject({ name: 'ChecksumMismatch' })
    expect((await backend.loadSession('c'))?.hot.key).toBe('c')
  })
})

describe('an older browser', () => {
  const store = FakeObjectStore.prototype as {
    getAllRecords?: unknown
    getAllKeys: (query: unknown, count?: number) => unknown
  }
  const { getAllRecords, getAllKeys } = store

  beforeEach(() => {
    expect(getAllRecords).toBeTypeOf('function')
    delete store.getAllRecords
    store.getAllKeys = function (query, count) {
      if (!(query instanceof IDBKeyRange)) throw new DOMException('Not a key.', 'DataError')
      return getAllKeys.call(this, query, count)
    }
  })
  afterEach(() => {
    Object.assign(store, { getAllRecords, getAllKeys })
  })

  it('that are asked for together are read in one transaction, those beside a damaged one too', async () => {
    const backend = await openHere()
    for (const [i, key] of ['a', 'b', 'c'].entries()) await planSession(key, i + 1).write(backend)
    const begun = vi.spyOn(FakeDatabase.prototype, 'transaction')
    expect(
      (await Promise.all(['a', 'b', 'c', 'd'].map((key) => backend.loadSession(key)))).map((rows) => rows?.hot.session),
    ).toEqual([1, 2, 3, undefined])
    expect(begun).toHaveBeenCalledTimes(1)
    begun.mockRestore()
    await changeStore(factory, name, 'sessions', (store) => store.put({ key: 'b', junk: true }))
    const found = await Promise.allSettled(['a', 'b', 'c'].map((key) => backend.loadSession(key)))
    expect(
      found.map((one) => (one.status === 'fulfilled' ? one.value?.hot.session : (one.reason as Error).name)),
    ).toEqual([1, 'ChecksumMismatch', 3])
  })

  it('reads from both ends', async () => {
    const backend = await openHere()
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 399)) })
    for (const entry of entriesAt(400, 430)) await a.write(backend, { append: inLane(0, [entry]) })
    expect(await readLane(backend, 1)).toEqual({ entries: entriesAt(0, 430), unreadable: [] })
    const tail = await backend.readRange({ session: 1, lane: 0, from: orderAt(350), to: '~' })
    expect(tail.entries).toEqual(entriesAt(350, 430))
    const back = await backend.readRange({ session: 1, lane: 0, from: '', to: orderAt(410), limit: 200, reverse: true })
    expect([back.entries.at(-1)?.s, back.entries.length >= 200, back.more]).toEqual([410, true, true])
    const forth = await backend.readRange({ session: 1, lane: 0, from: orderAt(10), to: '~', limit: 200 })
    expect([forth.entries[0]?.s, forth.entries.length >= 200, forth.more]).toEqual([10, true, true])
  })
})
