import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type ChangeFeed, createChangeFeed } from '../../src/client/session/change-feed.ts'
import { followTail } from '../../src/client/worker/tail-marker.ts'
import type { LostData } from '../../src/contract/change.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { createWebStorage } from '../support/web-storage.ts'

const name = 'tail'
let now = 1_000
/** What stands for the database: it can be set back, as a browser does that loses the end of one. */
let database: Storage
const feeds: ChangeFeed[] = []

beforeEach(() => {
  vi.stubGlobal('localStorage', createWebStorage())
  database = createWebStorage()
})
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.close()
  vi.unstubAllGlobals()
})

/** One start of a page. */
async function start(epoch = 'e') {
  const feed = createChangeFeed()
  feeds.push(feed)
  const store = createSessionStore(await openWebStorageBackend({ name, storage: database }), {
    now: () => now++,
    onChange: feed.emit,
  })
  let missing: LostData | undefined
  await followTail({ name, feed }, store, epoch, (told) => void (missing = told))
  const end = async (): Promise<void> => {
    await store.close()
    feed.close()
  }
  return { missing, store, end }
}

const say = (store: SessionStore, key: string, content: string) => store.addMessage(key, 'user', content)

/** Stores something in a first run, keeps it, and goes on: what comes now is lost. */
async function loseWhat(goOn: (store: SessionStore) => Promise<unknown>, epoch?: string) {
  const { store, end } = await start()
  for (const key of ['a', 'b']) await say(store, key, 'kept')
  const kept = [...Array(database.length).keys()]
    .map((i) => database.key(i)!)
    .map((key) => [key, database.getItem(key)!] as const)
  await goOn(store)
  await end()
  database = createWebStorage()
  for (const [key, value] of kept) database.setItem(key, value)
  return start(epoch)
}

it('tells of sessions that have gone back behind what they were, once', async () => {
  const { missing, end } = await loseWhat(async (store) => {
    await say(store, 'a', 'lost')
    await say(store, 'b', 'lost')
  })
  expect(missing).toEqual({ sessions: 2, updatedAt: expect.any(Number) })
  await end()
  expect((await start()).missing).toBeUndefined()
})

it('says nothing of another database, whose loss is told by its epoch', async () => {
  expect((await loseWhat((store) => say(store, 'a', 'lost'), 'another')).missing).toBeUndefined()
})

it.each<[string, (store: SessionStore) => Promise<unknown>]>([
  ['was purged', (store) => store.purge('a')],
  [
    'was purged and made anew',
    async (store) => {
      await store.purge('a')
      await say(store, 'a', 'anew')
    },
  ],
  ['was deleted', (store) => store.delete('a')],
  [
    'was compacted',
    async (store) => {
      await store.truncateHistory('a', 1)
      await store.reclaim('a')
    },
  ],
  ['was written to', (store) => say(store, 'a', 'more')],
])('says nothing of a session that %s while no page looked', async (_, act) => {
  const first = await start()
  for (const text of ['one', 'two', 'three']) await say(first.store, 'a', text)
  await first.end()
  // As a service worker does, which nobody hears.
  const unheard = createSessionStore(await openWebStorageBackend({ name, storage: database }), { now: () => now++ })
  await act(unheard)
  await unheard.close()
  const { missing, store, end } = await start()
  expect(missing).toBeUndefined()
  await say(store, 'b', 'on')
  await end()
  expect((await start()).missing).toBeUndefined()
})

it('says nothing where a page may keep nothing', async () => {
  vi.stubGlobal('localStorage', undefined)
  expect((await loseWhat((store) => say(store, 'a', 'lost'))).missing).toBeUndefined()
})
