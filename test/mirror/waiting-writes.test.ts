import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { CoreBackend } from '../../src/contract/backend.ts'
import { journalCommits } from '../../src/mirror/journal-commits.ts'
import { openMirror } from '../../src/mirror/open-mirror.ts'
import type { WaitingWrite } from '../../src/mirror/store-answered.ts'
import { createWaitingWrites } from '../../src/mirror/waiting-writes.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryFolder } from './support/memory-folder.ts'

const megabyte = 2 ** 20
const write = (bytes: number, key = 'k') =>
  ({ answered: { key, entries: [{ bytes }] }, at: 0 }) as unknown as Omit<WaitingWrite, 'n'>
const many = (count: number, bytes: number) => Array.from({ length: count }, () => write(bytes))

it('no more is answered while 128 MB wait, also those of a fold that is under way', () => {
  const writes = createWaitingWrites()
  writes.add(many(100, megabyte))
  const taken = writes.take()
  writes.add(many(27, megabyte))
  expect(writes.isOverfull()).toBe(false)
  writes.add(many(1, megabyte))
  expect(writes.isOverfull()).toBe(true)
  writes.putBack(taken)
  expect(writes.isOverfull()).toBe(true)
  writes.drop(({ n }) => n === 1)
  expect(writes.isOverfull()).toBe(false)
  writes.add(many(1, megabyte))
  writes.take()
  writes.putBack([])
  expect([writes.isOverfull(), writes.count()]).toEqual([false, 0])
})

it('no more is answered while 32,768 writes wait, however small', () => {
  const writes = createWaitingWrites()
  writes.add(many(32_767, 1))
  expect(writes.isOverfull()).toBe(false)
  writes.add(many(1, 1))
  expect(writes.isOverfull()).toBe(true)
})

it('a fold ends while the mark in the database cannot be read, and stores everything once it can', async () => {
  const database = await openIndexedDbBackend({ name: 'unreadable-mark', indexedDB: new IDBFactory(), IDBKeyRange })
  let isReadable = true
  const mirror = openMirror({ folder: createMemoryFolder(), epoch: 'e', boot: 'b' }, () => undefined)
  await mirror.hasRoom()
  const health: unknown[] = []
  const journal = journalCommits(
    { ...database, listJournals: async () => (isReadable ? database.listJournals() : []) },
    mirror,
    {
      now: () => 0,
      isUpToDate: () => true,
      arrive: () => Promise.reject(new Error('Nobody else writes.')),
      onHealth: (error) => void health.push(error),
    },
  )
  const store = createSessionStore(journal.backend, { isFreshOperation: () => true })
  const say = (key: string) => store.addMessage(key, 'tool', 'said', { durability: 'relaxed' })
  for (const key of ['a', 'a', 'b']) await say(key)
  // Another worker took this one for dead, and stored what its journal had.
  const [mark] = await database.listJournals()
  await database.commit({ sessions: [], erase: [], journal: { ...mark!, upTo: mark!.upTo + 1 } }, 'relaxed')
  isReadable = false
  await expect(store.flush()).rejects.toMatchObject({ name: 'StorageUnavailable' })
  expect(health).toMatchObject([{ name: 'StorageUnavailable' }])
  isReadable = true
  await store.flush()
  expect(health).toHaveLength(2)
  expect(journal.lag()).toBeUndefined()
  await store.close()
})

it('the database answers once too much waits for it', async () => {
  const database = await openIndexedDbBackend({ name: 'overfull', indexedDB: new IDBFactory(), IDBKeyRange })
  let isHeld = false
  let letGo: () => void = () => undefined
  const held = new Promise<void>((resolve) => (letGo = resolve))
  const commit: CoreBackend['commit'] = async (batch, durability) => {
    if (isHeld) await held
    return database.commit(batch, durability)
  }
  const mirror = openMirror({ folder: createMemoryFolder(), epoch: 'e', boot: 'b' }, () => undefined)
  await mirror.hasRoom()
  const journal = journalCommits({ ...database, commit }, mirror, {
    now: () => 0,
    isUpToDate: () => true,
    arrive: () => Promise.reject(new Error('Nobody else writes.')),
    mostWaiting: 1,
  })
  const store = createSessionStore(journal.backend, { isFreshOperation: () => true })
  const say = () =>
    store.append('s', [{ type: 'message', message: { role: 'tool', content: 'x'.repeat(megabyte) } }], {
      durability: 'relaxed',
    })
  // The database must know a journal before that answers.
  await say()
  expect(journal.lag()).toBeUndefined()
  isHeld = true
  for (let i = 0; i < 8; i++) await say()
  expect(journal.lag()?.writes).toBe(8)
  let isAnswered = false
  const waiting = say().then(() => (isAnswered = true))
  // Each of the others was answered within fewer turns.
  for (let i = 0; i < 1000; i++) await Promise.resolve()
  expect(isAnswered).toBe(false)
  letGo()
  await waiting
  expect(journal.lag()).toBeUndefined()
  await store.close()
})
