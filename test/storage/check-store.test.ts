import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { JobProgress } from '../../src/contract/job.ts'
import { reclaimStore, repairStore, verifyStore } from '../../src/storage/check-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { numbered, say, transcript } from '../../src/testing/helpers.ts'
import { damageFirstInIndexedDb } from '../store/support/damage-first-record.ts'
import { changeStore } from './damage-indexeddb.ts'

const name = 'check'

async function open() {
  const indexedDB = new IDBFactory()
  const backend = await openIndexedDbBackend({ name, indexedDB, IDBKeyRange })
  const store = createSessionStore(backend)
  return {
    store,
    indexedDB,
    backend,
    damage: (key: string) => damageFirstInIndexedDb(indexedDB, IDBKeyRange, name, key),
  }
}

it('checks everything, deleted sessions too, and tells how far it is', async () => {
  const { store, damage } = await open()
  for (const key of ['a', 'b', 'gone']) await say(store, key, numbered(100))
  await store.delete('gone')
  await damage('b')
  const progress: JobProgress[] = []
  const report = await verifyStore(store, { onProgress: (one) => progress.push(one) })
  expect([report.sessions, new Set(report.problems.map(({ key }) => key))]).toEqual([3, new Set(['b'])])
  expect(progress.length).toBeGreaterThan(3)
  for (const [i, { readBytes, entries }] of progress.entries())
    expect([readBytes, entries]).toEqual([
      Math.max(readBytes, progress[i - 1]?.readBytes ?? 0),
      Math.max(entries, progress[i - 1]?.entries ?? 0),
    ])
  expect(progress.at(-1)).toMatchObject({
    readBytes: (await store.usage()).entryBytes,
    totalBytes: (await store.usage()).entryBytes,
    entries: report.entries,
    skipped: report.problems.length,
  })
  expect(await verifyStore(store, { key: 'a' })).toEqual(await store.verify('a'))
  await store.close()
})

it("checks a session that was taken over, and tells of one that can't be read, without giving up", async () => {
  const { store, indexedDB, backend } = await open()
  for (const key of ['old', 'a', 'b']) await say(store, key, [key])
  await store.ensureSessionMetadata('new', undefined, ['old'])
  expect(await verifyStore(store)).toEqual(await store.verify())
  for (const key of ['a', 'b']) {
    const { session } = (await backend.loadSession(key))!.hot
    await changeStore(indexedDB, name, 'details', (details) => details.put({ nonsense: true }, session))
    await changeStore(indexedDB, name, 'sessions', (sessions) => sessions.put({ key }))
  }
  await store.close()
  const again = createSessionStore(await openIndexedDbBackend({ name, indexedDB, IDBKeyRange }))
  expect((await verifyStore(again)).problems.map(({ key, kind }) => [key, kind])).toEqual([
    ['a', 'row'],
    ['b', 'row'],
  ])
  expect((await repairStore(again)).outcomes.map(({ key, left }) => [key, left.length])).toEqual([
    ['a', 1],
    ['b', 1],
  ])
  await again.close()
})

it('mends session by session, and reports each with what is left', async () => {
  const { store, damage } = await open()
  for (const key of ['a', 'b', 'c']) await say(store, key, numbered(100))
  await damage('a')
  await damage('c')
  const report = await repairStore(store)
  expect(report.repaired).toBeGreaterThan(1)
  expect(report.outcomes.map(({ key, setAside, isRefilled }) => [key, setAside, isRefilled]).sort()).toEqual([
    ['a', 1, false],
    ['c', 1, false],
  ])
  for (const { left } of report.outcomes) expect(left.map(({ kind }) => kind)).toEqual(['gap'])
  expect(await transcript(store, 'b')).toEqual(numbered(100))
  await store.close()
})

it('ends between two sessions when it is cancelled, and keeps what it mended', async () => {
  const { store, damage } = await open()
  for (const key of ['a', 'b']) await say(store, key, numbered(100))
  await damage('a')
  await damage('b')
  const ending = new AbortController()
  await expect(
    repairStore(store, { signal: ending.signal, onProgress: ({ skipped }) => skipped > 0 && ending.abort() }),
  ).rejects.toMatchObject({ name: 'Aborted' })
  expect((await store.verify()).problems.filter(({ kind }) => kind === 'unreadable')).toHaveLength(1)
  await store.close()
})

it('erases blobs that have waited for a day when it reclaims, also without any session', async () => {
  let now = 1000
  const store = createSessionStore(await openIndexedDbBackend({ name, indexedDB: new IDBFactory(), IDBKeyRange }), {
    now: () => now,
  })
  const hash = await store.putBlob(new Blob(['photo']))
  await say(store, 's', [`see ${hash}`])
  // Attached again, but never sent.
  await store.putBlob(new Blob(['photo']))
  await store.purge('s')
  await reclaimStore(store)
  expect(await store.getBlob(hash)).toBeDefined()
  now += 25 * 60 * 60 * 1000
  expect(await reclaimStore(store)).toEqual({ sessions: 0, erased: 0 })
  expect(await store.getBlob(hash)).toBeUndefined()
  await store.close()
})
