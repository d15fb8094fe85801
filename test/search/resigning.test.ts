import { expect, it } from 'vitest'
import { SessionError } from '../../src/contract/errors.ts'
import type { SearchHit, SearchRequest } from '../../src/contract/search.ts'
import type { SearchService } from '../../src/search/create-search-service.ts'
import { createSharedSearch } from '../../src/search/create-shared-search.ts'

const request: SearchRequest = { query: 'fox', filter: {}, known: [] }
const hit = (text: string): SearchHit => ({ key: text }) as SearchHit

/** A lock that is given in turn, and tells when it is. */
function createLocks(): LockManager {
  let free: Promise<unknown> = Promise.resolve()
  let isHeld = false
  const take = async (work: (lock: object | null) => unknown): Promise<unknown> => {
    isHeld = true
    return Promise.resolve(work({})).finally(() => (isHeld = false))
  }
  return {
    request: async (
      _: string,
      { ifAvailable = false, signal }: LockOptions,
      work: (lock: object | null) => unknown,
    ) => {
      if (isHeld && ifAvailable) return work(null)
      const run = isHeld ? free.then(() => (signal?.aborted ? undefined : take(work))) : take(work)
      free = run.catch(() => undefined)
      return run
    },
  } as unknown as LockManager
}

const serviceOf = (search: SearchService['search']): SearchService =>
  ({
    search,
    receive: () => undefined,
    recheck: () => undefined,
    idle: async () => undefined,
    close: async () => undefined,
  }) as unknown as SearchService

it.each([
  ['may no longer read the database', new SessionError('VersionConflict', 'Newer code has upgraded it.')],
  ['has a database that was lost', new SessionError('DataLoss', 'It was made anew.')],
])('a tab that %s leaves the index to the next, which answers', async (_, error) => {
  const locks = createLocks()
  const old = createSharedSearch({ name: 'resigning', open: async () => serviceOf(() => Promise.reject(error)), locks })
  await expect(old.search(request)).rejects.toBe(error)
  const opened: boolean[] = []
  const next = createSharedSearch({
    name: 'resigning',
    open: async (mayWrite) => (opened.push(mayWrite), serviceOf(async () => [hit('next')])),
    locks,
  })
  expect(await next.search(request)).toEqual([hit('next')])
  // As the one that keeps it, not for itself beside one that is useless.
  expect(opened).toEqual([true])
  await next.close()
  await old.close()
})
