import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { type ClientSearch, createSearch } from '../../src/client/create-search.ts'
import type { StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import { makeSearchWorker } from '../../src/client/worker/make-search-worker.ts'

vi.setConfig({ testTimeout: 60_000 })

const say = (content: string) => ({ type: 'message', message: { role: 'user', content } }) as const
const RealWorker = Worker
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllGlobals()
  for (const close of closers.splice(0).reverse()) await close()
})

interface Tab {
  readonly client: SessionClient
  readonly search: ClientSearch
  texts(query: string): Promise<readonly string[]>
  close(): Promise<void>
}

/** A tab as far as stores and workers go. */
async function openTab(
  name = `search-${crypto.randomUUID()}`,
  mode: StoreMode = 'worker',
  makeWorker: () => Worker = makeSearchWorker,
  mirror = true,
): Promise<Tab> {
  const client = await openSessionStore({ name, modes: [mode], mirror })
  const search = createSearch({ name, mode, store: client.store, feed: client }, makeWorker)
  const close = async (): Promise<void> => {
    await search.close()
    await client.close()
  }
  closers.push(close)
  return {
    client,
    search,
    close,
    texts: async (query) => (await search.search(query)).map(({ snippet }) => snippet.text),
  }
}

/** Makes search workers and keeps hold of them. */
function watched(): { readonly made: Worker[]; readonly make: () => Worker } {
  const made: Worker[] = []
  return {
    made,
    make: () => {
      const worker = makeSearchWorker()
      made.push(worker)
      return worker
    },
  }
}

/**
 * Everything that the workers of a test tell the browser they read: entries, by how often ranges of them were asked
 * for.
 */
async function storedIndex(name: string): Promise<{ readonly segments: number; readonly sessions: number }> {
  const database = await opened(indexedDB.open(`keepsession-search:${name}`))
  const count = (store: string) => opened(database.transaction(store).objectStore(store).count())
  const [segments, sessions] = await Promise.all([count('segments'), count('sessions')])
  database.close()
  return { segments, sessions }
}
const opened = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error!)
  })

describe('a search', () => {
  it.each(['worker', 'inline-worker', 'in-page'] as const)(
    'finds what its page has stored, at once, where the store is %s',
    async (mode) => {
      const workers = watched()
      const { client, texts } = await openTab(undefined, mode, workers.make)
      await client.store.append('k', [say('the first fox')])
      expect(await texts('fox')).toEqual(['the first fox'])
      for (let i = 0; i < 20; i++) {
        await client.store.append(`k${i % 2}`, [say(`another fox ${i} unique${i}x`)])
        expect(await texts(`unique${i}x`)).toHaveLength(1)
      }
      await client.delete('k')
      expect(await texts('first')).toEqual([])
      expect(workers.made).toHaveLength(mode === 'worker' ? 1 : 0)
    },
  )

  it('goes another way when its worker can not be loaded', async () => {
    const { client, texts } = await openTab(
      undefined,
      'worker',
      () => new RealWorker('/no-such-file.js', { type: 'module' }),
    )
    await client.store.append('k', [say('fox')])
    expect(await texts('fox')).toEqual(['fox'])
  })

  it('is done in the page when workers are forbidden', async () => {
    const { client, texts } = await openTab(undefined, 'worker', () => {
      throw new DOMException('forbidden', 'SecurityError')
    })
    vi.stubGlobal('Worker', function () {
      throw new DOMException('forbidden', 'SecurityError')
    })
    await client.store.append('k', [say('fox')])
    expect(await texts('fox')).toEqual(['fox'])
    await client.store.append('k', [say('another fox')])
    expect(await texts('another')).toEqual(['another fox'])
  })

  it('finds a message of another tab, and nothing that was deleted there', async () => {
    const name = `search-${crypto.randomUUID()}`
    const [here, there] = [await openTab(name), await openTab(name)]
    await here.client.store.append('k', [say('fox one')])
    expect(await here.texts('fox')).toEqual(['fox one'])
    await there.client.store.append('k', [say('fox two')])
    await expect.poll(() => here.texts('two'), { interval: 10 }).toEqual(['fox two'])
    await there.client.delete('k')
    await expect.poll(() => here.texts('fox'), { interval: 10 }).toEqual([])
    await there.client.undelete('k')
    await there.client.purge('k')
    expect(await here.texts('fox')).toEqual([])
  })

  it('resolves aliases, and refuses what it can not do', async () => {
    const { client, search } = await openTab()
    await client.store.append('k', [say('fox')])
    await client.store.ensureSessionMetadata('k', undefined, ['agent:a:direct:b'])
    expect(await search.search('fox', { sessionKey: 'agent:a:direct:b' })).toHaveLength(1)
    await expect(search.search('fox', { limit: 0 })).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(search.search(5 as unknown as string)).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(search.search('fox', { from: Number.NaN })).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(search.search('fox', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'Aborted' })
    await search.close()
    await expect(search.search('fox')).rejects.toMatchObject({ name: 'StorageClosed' })
  })
})

describe('two tabs', () => {
  it('have one index: one keeps it, the other asks', async () => {
    const name = `search-${crypto.randomUUID()}`
    const [first, second] = [await openTab(name), await openTab(name)]
    await first.client.store.append('k', [say('fox')])
    expect(await first.texts('fox')).toEqual(['fox'])
    expect(await second.texts('fox')).toEqual(['fox'])
    const { held = [], pending = [] } = await navigator.locks.query()
    const ofName = (locks: readonly LockInfo[]) => locks.filter((lock) => lock.name === `keepsession:${name}:search`)
    expect(ofName(held)).toHaveLength(1)
    expect(ofName(pending)).toHaveLength(1)
    await second.client.store.append('k', [say('wolf')])
    expect(await second.texts('wolf')).toEqual(['wolf'])
  })

  it('go on when the one that keeps the index closes', async () => {
    const name = `search-${crypto.randomUUID()}`
    const [first, second] = [await openTab(name), await openTab(name)]
    await first.client.store.append('k', [say('fox')])
    expect(await first.texts('fox')).toEqual(['fox'])
    expect(await second.texts('fox')).toEqual(['fox'])
    await first.close()
    await second.client.store.append('k', [say('wolf')])
    expect(await second.texts('fox')).toEqual(['fox'])
    expect(await second.texts('wolf')).toEqual(['wolf'])
  })

  it.each([
    ['closes', async (keeper: Tab) => keeper.close()],
    ['dies', async (_: Tab, worker: Worker) => worker.terminate()],
  ])('lose and double nothing when the one that keeps the index %s in the middle of its first pass', async (_, end) => {
    const name = `search-${crypto.randomUUID()}`
    const seed = await openTab(name, 'in-page')
    for (let i = 0; i < 20; i++)
      await seed.client.store.append(
        `k${i}`,
        Array.from({ length: 200 }, (_, n) => say(`fox ${i} ${n} ${'word '.repeat(20)}`)),
      )
    const workers = watched()
    const [first, second] = [await openTab(name, 'worker', workers.make), await openTab(name)]
    const lost = first.texts('"fox 19 199"').catch((error: unknown) => error)
    await expect
      .poll(async () =>
        (await navigator.locks.query()).held?.some((lock) => lock.name === `keepsession:${name}:search`),
      )
      .toBe(true)
    const found = second.search.search('fox', { limit: 1000 })
    await end(first, workers.made[0]!)
    expect(new Set((await found).map(({ id }) => id)).size).toBe(1000)
    for (const key of ['k0', 'k19']) {
      const hits = await second.search.search('fox', { sessionKey: key, limit: 1000 })
      expect([hits.length, new Set(hits.map(({ id }) => id)).size]).toEqual([200, 200])
    }
    await second.client.store.append('k0', [say('wolf')])
    expect(await second.texts('wolf')).toEqual(['wolf'])
    await lost
  })

  it('go on when the worker that keeps the index is killed, with questions under way', async () => {
    const name = `search-${crypto.randomUUID()}`
    const workers = watched()
    const [first, second] = [await openTab(name, 'worker', workers.make), await openTab(name)]
    await first.client.store.append('k', [say('fox')])
    expect(await first.texts('fox')).toEqual(['fox'])
    expect(await second.texts('fox')).toEqual(['fox'])
    const asked = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? first : second).texts('fox'))
    workers.made[0]!.terminate()
    expect(await Promise.all(asked)).toEqual(asked.map(() => ['fox']))
    await second.client.store.append('k', [say('wolf')])
    expect(await second.texts('wolf')).toEqual(['wolf'])
    expect(await first.texts('wolf')).toEqual(['wolf'])
  })
})

describe('a worker that is killed', () => {
  it('is replaced, and the search is done', async () => {
    const workers = watched()
    const { client, texts } = await openTab(undefined, 'worker', workers.make)
    await client.store.append('k', [say('fox')])
    expect(await texts('fox')).toEqual(['fox'])
    workers.made[0]!.terminate()
    await client.store.append('k', [say('another fox')])
    expect((await texts('fox')).toSorted()).toEqual(['another fox', 'fox'])
    expect(workers.made).toHaveLength(2)
  })

  it('in the middle of its first pass loses nothing and doubles nothing', async () => {
    const workers = watched()
    const { client, search } = await openTab(undefined, 'worker', workers.make)
    for (let i = 0; i < 20; i++)
      await client.store.append(
        `k${i}`,
        Array.from({ length: 200 }, (_, n) => say(`fox ${i} ${n} ${'word '.repeat(20)}`)),
      )
    const searching = search.search('fox', { limit: 1000 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    workers.made[0]!.terminate()
    expect(new Set((await searching).map(({ id }) => id)).size).toBe(1000)
    for (const key of ['k0', 'k19'])
      expect(await search.search('fox', { sessionKey: key, limit: 1000 })).toHaveLength(200)
  })
})

describe('after a reload', () => {
  /** A tab that has indexed and stored ten sessions, and was closed. */
  async function leave(name: string): Promise<void> {
    const { client, texts, close } = await openTab(name)
    for (let i = 0; i < 10; i++)
      await client.store.append(
        `k${i}`,
        Array.from({ length: 100 }, (_, n) => say(`fox ${i} ${n}`)),
      )
    expect(await texts('fox')).toHaveLength(20)
    await close()
    expect(await storedIndex(name)).toMatchObject({ sessions: 10 })
  }
  /** Counts how many times the page reads ranges of entries, where the search is in the page. */
  function countReads(): () => number {
    const reading = vi.spyOn(IDBObjectStore.prototype, 'getAll')
    const get = vi.spyOn(IDBObjectStore.prototype, 'get')
    closers.push(async () => {
      reading.mockRestore()
      get.mockRestore()
    })
    return () =>
      [...reading.mock.contexts, ...get.mock.contexts].filter((one) => (one as IDBObjectStore).name === 'entries')
        .length
  }

  it('nothing is indexed again', async () => {
    const name = `search-${crypto.randomUUID()}`
    await leave(name)
    const { texts } = await openTab(name, 'in-page')
    const reads = countReads()
    expect(await texts('"fox 3 77"')).toEqual(['fox 3 77'])
    // Of the hit alone.
    expect(reads()).toBeLessThanOrEqual(2)
  })

  it('only what has changed meanwhile is indexed', async () => {
    const name = `search-${crypto.randomUUID()}`
    await leave(name)
    const { client, close } = await openTab(name)
    await client.store.append('k3', [say('a wolf')])
    await client.purge('k4')
    await close()
    const { texts } = await openTab(name, 'in-page')
    const reads = countReads()
    expect(await texts('wolf')).toEqual(['a wolf'])
    expect(await texts('"fox 4"')).toEqual([])
    expect(await texts('"fox 3 77"')).toEqual(['fox 3 77'])
    expect(reads()).toBeLessThanOrEqual(12)
  })

  it.each([
    ['a block is gone', (store: IDBObjectStore) => store.delete(IDBKeyRange.lowerBound(0)), 'segments'],
    [
      'a block is something else',
      (store: IDBObjectStore) =>
        void opened(store.getAllKeys()).then((keys) => store.put({ segment: 'none' }, keys[0]!)),
      'segments',
    ],
    ['a bit of a block has changed', (store: IDBObjectStore) => void flipBit(store), 'segments'],
    ['the marks of removed messages are gone', (store: IDBObjectStore) => store.clear(), 'dead'],
    [
      'it is of another format',
      (store: IDBObjectStore) => store.put({ format: 0, epoch: 'x', ids: [] }, 'index'),
      'info',
    ],
    ['what is known of sessions is gone', (store: IDBObjectStore) => store.clear(), 'sessions'],
  ])('the index is made anew when %s', async (_, damage, store) => {
    const name = `search-${crypto.randomUUID()}`
    await leave(name)
    const database = await opened(indexedDB.open(`keepsession-search:${name}`))
    const transaction = database.transaction(store, 'readwrite')
    damage(transaction.objectStore(store))
    await new Promise<void>((resolve) => (transaction.oncomplete = () => resolve()))
    database.close()
    const { search } = await openTab(name)
    expect(new Set((await search.search('fox', { limit: 1000 })).map(({ id }) => id)).size).toBe(1000)
  })

  it('an index of a database that was wiped, and has no mirror, finds nothing', async () => {
    const name = `search-${crypto.randomUUID()}`
    await leave(name)
    await opened(indexedDB.deleteDatabase(name))
    const { client, texts } = await openTab(name, 'worker', undefined, false)
    expect(await texts('fox')).toEqual([])
    await client.store.append('k1', [say('a new fox')])
    expect(await texts('fox')).toEqual(['a new fox'])
  })

  it('an index that can not be stored is none the worse', async () => {
    const name = `search-${crypto.randomUUID()}`
    await new Promise<void>((resolve) => {
      const request = indexedDB.open(`keepsession-search:${name}`, 99)
      request.onsuccess = () => {
        request.result.close()
        resolve()
      }
    })
    const { client, texts } = await openTab(name)
    await client.store.append('k', [say('fox')])
    expect(await texts('fox')).toEqual(['fox'])
  })
})

/** Changes one bit of the postings of the first block. */
async function flipBit(store: IDBObjectStore): Promise<void> {
  const [key] = await opened(store.getAllKeys())
  const row = (await opened(store.get(key!))) as {
    readonly segment: { readonly terms: { readonly bytes: Uint8Array } }
  }
  row.segment.terms.bytes[5]! ^= 1
  store.put(row, key)
}
