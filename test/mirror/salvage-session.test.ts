import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { SessionError } from '../../src/contract/errors.ts'
import { keepMirror } from '../../src/mirror/keep-mirror.ts'
import { mirrorCommits } from '../../src/mirror/mirror-commits.ts'
import { mirrorName } from '../../src/mirror/mirror-names.ts'
import type { MirroredPlace } from '../../src/mirror/mirrored-place.ts'
import { openMirror } from '../../src/mirror/open-mirror.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryFolder } from './support/memory-folder.ts'
import { say, texts } from './support/talk.ts'

const name = 'salvage'

/** A database with a worker that lives and mirrors, and the place of a job beside it. */
async function openPlace() {
  const indexedDB = new IDBFactory()
  const folder = createMemoryFolder()
  const database = await openIndexedDbBackend({ name, indexedDB, IDBKeyRange })
  const { epoch } = database
  const living = openMirror({ folder, epoch, boot: 'living' }, () => undefined)
  const mirror = openMirror({ folder, epoch, boot: 'jobs' }, () => undefined)
  const backend = { ...database }
  const place: MirroredPlace = {
    backend,
    epoch,
    folder,
    mirror,
    own: mirrorName({ epoch, boot: 'jobs' }),
    boot: 'joined',
    // As a job has it: it has read nothing yet.
    get store() {
      return createSessionStore(backend)
    },
  }
  return {
    place,
    mirrored: createSessionStore(mirrorCommits(database, living)),
    plain: createSessionStore(database),
    /** As a browser loses the middle of a database: what is in it says nothing. */
    loseEntries: async (key: string) => {
      const { session } = (await database.loadSession(key))!.hot
      const opened = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open(name)
        request.onsuccess = () => resolve(request.result)
      })
      const transaction = opened.transaction('entries', 'readwrite')
      const request = transaction.objectStore('entries').getAllKeys(IDBKeyRange.bound([session, 0], [session, 0, []]))
      request.onsuccess = () => {
        for (const one of request.result) transaction.objectStore('entries').delete(one)
      }
      await new Promise((resolve) => (transaction.oncomplete = resolve))
      opened.close()
    },
    /** As Firefox reads from a bad block: whatever range it is in fails. */
    forbid: async (key: string) => {
      const { session } = (await database.loadSession(key))!.hot
      const refused = new SessionError(
        'StorageUnavailable',
        'Could not read entries: IndexedDB failed (UnknownError: The operation failed for reasons unrelated to the database itself).',
      )
      backend.readRange = (read) => (read.session === session ? Promise.reject(refused) : database.readRange(read))
      backend.commit = (batch, durability) =>
        batch.erase.length > 0 ? Promise.reject(refused) : database.commit(batch, durability)
    },
    /** The stores that have rows under a local number. */
    rows: async (session: number): Promise<readonly string[]> => {
      const opened = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open(name)
        request.onsuccess = () => resolve(request.result)
      })
      const stores = ['details', 'entries', 'bodies', 'operations']
      const transaction = opened.transaction(stores)
      const found: string[] = []
      for (const store of stores) {
        const range = store === 'details' ? session : IDBKeyRange.bound([session], [session, []])
        const request = transaction.objectStore(store).count(range)
        request.onsuccess = () => request.result > 0 && found.push(store)
      }
      await new Promise((resolve) => (transaction.oncomplete = resolve))
      opened.close()
      return found
    },
    close: async () => {
      await mirror.close()
      await living.close()
      await database.close()
    },
  }
}

const problems = async ({ backend }: MirroredPlace): Promise<readonly string[]> =>
  (await createSessionStore(backend).verify()).problems.map(({ message }) => message)

const seen = async (place: MirroredPlace, key = 'a'): Promise<unknown[]> =>
  texts(createSessionStore(place.backend), key)

it('puts back entries that are gone without a word from the middle of a session, and its name stays', async () => {
  const { place, mirrored, loseEntries, close } = await openPlace()
  await say(mirrored, 'a', 'one', 'two', 'three')
  await mirrored.ensureSessionMetadata('a', undefined, ['also a'])
  await loseEntries('a')
  expect(await seen(place)).toEqual([])
  expect(await keepMirror(place)).toMatchObject({ refilled: ['a'], lost: 4, left: [] })
  expect(await seen(place)).toEqual(['one', 'two', 'three'])
  expect(await seen(place, 'also a')).toEqual(['one', 'two', 'three'])
  expect(await problems(place)).toEqual([])
  // What was written down by then is older than what comes now, for every tab.
  expect((await place.backend.loadSession('a'))!.hot.version).toBeGreaterThan(2)
  await close()
})

it('puts back a session of which no range can be read, nor be erased', async () => {
  const { place, mirrored, forbid, close } = await openPlace()
  await say(mirrored, 'a', 'one', 'two', 'three')
  await say(mirrored, 'b', 'four')
  await forbid('a')
  await expect(seen(place)).rejects.toMatchObject({ name: 'StorageUnavailable' })
  expect(await keepMirror(place)).toMatchObject({ refilled: ['a'], lost: 3, left: [] })
  expect(await seen(place)).toEqual(['one', 'two', 'three'])
  expect(await problems(place)).toEqual([])
  await close()
})

it('erases the old rows of a restored session later, when its worker ended before it could', async () => {
  const { place, mirrored, loseEntries, rows, close } = await openPlace()
  await say(mirrored, 'a', 'one', 'two')
  await mirrored.remove('a', (await mirrored.read('a', { last: 1 })).entries[0]!)
  await say(mirrored, 'b', 'not restored')
  const { session } = (await place.backend.loadSession('a'))!.hot
  await loseEntries('a')
  const { commit } = place.backend
  place.backend.commit = (batch, durability) =>
    batch.erase.length > 0 ? new Promise(() => undefined) : commit(batch, durability)
  const endless = keepMirror(place)
  await expect.poll(() => seen(place)).toEqual(['one'])
  expect(await rows(session)).not.toEqual([])
  place.backend.commit = commit
  await Promise.race([endless, keepMirror(place)])
  expect(await rows(session)).toEqual([])
  expect(await seen(place)).toEqual(['one'])
  expect(await seen(place, 'b')).toEqual(['not restored'])
  expect(await problems(place)).toEqual([])
  await close()
})

it('leaves a session as it is of which the mirror lacks, and says so', async () => {
  const { place, mirrored, plain, loseEntries, close } = await openPlace()
  await say(plain, 'a', 'one')
  await say(mirrored, 'a', 'two', 'three')
  const before = (await place.backend.loadSession('a'))!.hot.session
  await loseEntries('a')
  expect(await keepMirror(place)).toMatchObject({
    refilled: [],
    left: [{ key: 'a', reason: expect.stringContaining('lacks') }],
  })
  expect((await place.backend.loadSession('a'))!.hot.session).toBe(before)
  await close()
})

it("looks at what nobody wrote to since the last time once it hears that a part can't be read, or finds another loss", async () => {
  const { place, mirrored, loseEntries, close } = await openPlace()
  for (const key of ['a', 'b', 'c']) await say(mirrored, key, `${key} one`)
  await keepMirror(place)
  await loseEntries('a')
  expect(await keepMirror(place)).toMatchObject({ refilled: [] })
  expect(await keepMirror(place, { damaged: ['a'] })).toMatchObject({ refilled: ['a'] })
  await loseEntries('b')
  await say(mirrored, 'c', 'c two')
  await loseEntries('c')
  expect((await keepMirror(place)).refilled.toSorted()).toEqual(['b', 'c'])
  expect(await seen(place, 'b')).toEqual(['b one'])
  await close()
})

it('brings back nothing that was compacted away, and finds nothing wrong with it', async () => {
  const { place, mirrored, loseEntries, close } = await openPlace()
  await say(mirrored, 'a', 'one', 'two', 'three', 'four')
  await mirrored.truncateHistory('a', 2)
  await mirrored.reclaim('a')
  expect(await keepMirror(place)).toMatchObject({ refilled: [], left: [] })
  await loseEntries('a')
  expect(await keepMirror(place, { damaged: ['a'] })).toMatchObject({ refilled: ['a'], left: [] })
  expect(await seen(place)).toEqual(['three', 'four'])
  expect(
    (await createSessionStore(place.backend).read('a', { view: 'raw' })).entries.filter(
      ({ message }) => message !== undefined,
    ),
  ).toHaveLength(2)
  await close()
})
