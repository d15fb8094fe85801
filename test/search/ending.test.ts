import { describe, expect, it } from 'vitest'
import { createSearchWith, type SearchPlace } from '../../src/client/create-search.ts'
import * as later from '../../src/client/opening/later-parts.ts'
import type { OpenedClient } from '../../src/client/opening/opened-client.ts'
import { createChangeFeed } from '../../src/client/session/change-feed.ts'
import { createSessionClient, type LaterParts } from '../../src/client/session/session-client.ts'
import type { WorkerLike } from '../../src/client/worker/connect-worker.ts'
import { startSearchWorker } from '../../src/client/worker/search-worker.ts'
import type { Encryption } from '../../src/contract/encryption.ts'
import { SessionError } from '../../src/contract/errors.ts'
import type { SearchHit, SearchProgress, SearchRequest } from '../../src/contract/search.ts'
import type { SearchService } from '../../src/search/create-search-service.ts'
import { createSharedSearch } from '../../src/search/create-shared-search.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

const request: SearchRequest = { query: 'fox', filter: {}, known: [] }
const hit = (text: string): SearchHit => ({ key: text }) as SearchHit
const placeOf = (): SearchPlace =>
  ({ name: 'n', mode: 'memory', store: {}, feed: createChangeFeed() }) as unknown as SearchPlace
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** One exclusive lock, as browsers have it. */
function createLocks(): LockManager {
  let holder: Promise<unknown> = Promise.resolve()
  let isHeld = false
  const request = async (
    _: string,
    { ifAvailable = false, signal }: LockOptions,
    work: (lock: object | null) => unknown,
  ): Promise<unknown> => {
    if (isHeld && ifAvailable) return work(null)
    const before = holder
    const run = (async () => {
      await before
      if (signal?.aborted) throw new DOMException('', 'AbortError')
      isHeld = true
      return Promise.resolve(work({})).finally(() => (isHeld = false))
    })()
    holder = run.catch(() => undefined)
    return run
  }
  return { request } as unknown as LockManager
}

/** A service that answers after a while, and not at all once it is closed. */
function slowService(name: string, ms: number): SearchService {
  let isClosed = false
  const search = async (): Promise<readonly SearchHit[]> => {
    await pause(ms)
    if (isClosed) throw new SessionError('StorageClosed', 'closed')
    return [hit(name)]
  }
  return {
    search,
    receive: () => undefined,
    recheck: () => undefined,
    idle: async () => undefined,
    close: async () => void (isClosed = true),
  } as unknown as SearchService
}

describe('a tab that keeps the index and closes', () => {
  it('costs no other tab its answer', async () => {
    const locks = createLocks()
    const keeper = createSharedSearch({ name: 'closing', open: async () => slowService('keeper', 50), locks })
    await pause(5)
    const other = createSharedSearch({ name: 'closing', open: async () => slowService('other', 1), locks })
    await pause(5)
    const answer = other.search(request)
    await pause(20)
    await keeper.close()
    expect(await answer).toEqual([hit('other')])
    await other.close()
  })

  it('leaves nothing that throws later', async () => {
    const thrown: unknown[] = []
    const note = (error: unknown): void => void thrown.push(error)
    process.on('unhandledRejection', note)
    const locks = createLocks()
    const keeper = createSharedSearch({ name: 'quiet', open: async () => slowService('keeper', 400), locks })
    await pause(5)
    const other = createSharedSearch({ name: 'quiet', open: async () => slowService('other', 1), locks })
    await pause(5)
    other.search(request).catch(() => undefined)
    await pause(20)
    await keeper.close()
    await pause(500)
    await other.close()
    process.off('unhandledRejection', note)
    expect(thrown).toEqual([])
  })
})

it('a tab that does not keep the index hears how far its keeper is', async () => {
  const locks = createLocks()
  const progress = { indexed: 320, total: 1000 }
  const indexing = {
    ...slowService('keeper', 1),
    search: async (_request: SearchRequest, onProgress?: (progress: SearchProgress) => void) => {
      onProgress?.(progress)
      return [hit('keeper')]
    },
  }
  const keeper = createSharedSearch({ name: 'far', open: async () => indexing, locks })
  await pause(5)
  const other = createSharedSearch({ name: 'far', open: async () => slowService('other', 1), locks })
  const told: unknown[] = []
  expect(await other.search(request, (heard) => told.push(heard))).toEqual([hit('keeper')])
  expect(told).toEqual([progress])
  await other.close()
  await keeper.close()
})

describe('a search', () => {
  it('that was under way when its worker was closed is refused, and so is a later one', async () => {
    const listeners = new Map<string, unknown>()
    const worker: WorkerLike = {
      addEventListener: (type: string, listener: unknown) => void listeners.set(type, listener),
      removeEventListener: () => undefined,
      terminate: () => undefined,
      postMessage: (_: unknown, [port]: [MessagePort]) => {
        port.onmessage = ({ data }) => data.keepsession === 'close' && port.postMessage({ keepsession: 'closed' })
        port.postMessage({ keepsession: 'ready', protocol: 1 })
      },
    } as unknown as WorkerLike
    const one = await startSearchWorker(worker, 'n', 1000)
    const pending = one.search(request)
    await Promise.all([expect(pending).rejects.toMatchObject({ name: 'StorageClosed' }), one.close()])
    await expect(one.search(request)).rejects.toMatchObject({ name: 'WorkerLost' })
  })

  it('opens nothing once its client is closed', async () => {
    let opened = 0
    const place: SearchPlace = {
      name: 'n',
      mode: 'worker',
      store: { resolveSessionKey: async (key) => (await pause(10), key) },
      feed: createChangeFeed(),
    }
    const search = createSearchWith(place, async () => {
      opened += 1
      return { search: async () => [], recheck: () => undefined, close: async () => undefined }
    })
    const asked = search.search('fox', { sessionKey: 'k' })
    await Promise.all([expect(asked).rejects.toMatchObject({ name: 'StorageClosed' }), search.close()])
    expect(opened).toBe(0)
  })

  it('that died is replaced once, whoever notices it first', async () => {
    const open = new Set<number>()
    let opened = 0
    let isDead = false
    const search = createSearchWith(placeOf(), async () => {
      const me = ++opened
      open.add(me)
      return {
        search: async () => [],
        recheck: () => undefined,
        isLost: () => isDead && me === 1,
        close: async () => void open.delete(me),
      }
    })
    await search.search('fox')
    isDead = true
    await Promise.all(['a', 'b', 'c'].map((query) => search.search(query)))
    expect(opened).toBe(2)
    await search.close()
    expect([...open]).toEqual([1])
  })

  it('whose database was lost and made anew is replaced once, also for those that wait for it', async () => {
    let opened = 0
    const search = createSearchWith(placeOf(), async () => {
      const me = ++opened
      const lost = new SessionError('DataLoss', 'The database was lost.')
      let close: () => void = () => undefined
      const closed = new Promise<never>((_, reject) => {
        close = () => reject(new SessionError('StorageClosed', 'closed'))
      })
      closed.catch(() => undefined)
      return {
        search: async ({ query }) =>
          me > 1 ? [hit(`${me} ${query}`)] : query === 'late' ? closed : Promise.reject(lost),
        recheck: () => undefined,
        close: async () => close(),
      }
    })
    const asked = ['late', 'a', 'b'].map((query) => search.search(query))
    expect((await Promise.all(asked)).flat()).toEqual([hit('2 late'), hit('2 a'), hit('2 b')])
    expect(await search.search('c')).toEqual([hit('2 c')])
    expect(opened).toBe(2)
  })

  it('is opened again with the key or passphrase that the store was given since', async () => {
    const attempt: { encryption: Encryption | undefined } = { encryption: { passphrase: 'old' } }
    const opened: unknown[] = []
    let closed = 0
    const place: SearchPlace = {
      name: 'n',
      mode: 'memory',
      attempt,
      store: { resolveSessionKey: async (key) => key },
      feed: createChangeFeed(),
    }
    const search = createSearchWith(place, async () => {
      opened.push(attempt.encryption)
      return { search: async () => [], recheck: () => undefined, close: async () => void closed++ }
    })
    await search.search('fox')
    await search.search('fox')
    attempt.encryption = { passphrase: 'new' }
    await search.search('fox')
    expect(opened).toEqual([{ passphrase: 'old' }, { passphrase: 'new' }])
    expect(closed).toBe(1)
    attempt.encryption = undefined
    await search.search('fox')
    expect(opened).toHaveLength(2)
    await search.close()
  })

  it('whose code could not be loaded is loaded again, and keeps no client from closing', async () => {
    let tries = 0
    let isReleased = false
    const opened = {
      store: createSessionStore(createMemoryBackend()),
      mode: 'memory',
      name: 'n',
      feed: createChangeFeed(),
      page: { release: () => (isReleased = true) },
      route: undefined,
    }
    const parts = {
      load: async () => later,
      openSearch: async () => (tries++, Promise.reject(new TypeError('Failed to fetch'))),
    }
    const client = createSessionClient(opened as unknown as OpenedClient, parts as unknown as LaterParts)
    for (let i = 0; i < 2; i++) await expect(client.search('fox')).rejects.toThrow('Failed to fetch')
    expect(tries).toBe(2)
    await client.close()
    expect(isReleased).toBe(true)
  })
})
