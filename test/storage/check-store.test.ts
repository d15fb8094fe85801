import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { JobProgress } from '../../src/contract/job.ts'
import { repairStore, verifyStore } from '../../src/storage/check-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createSessionStore } from '../../src/storage/session-store.ts'
import { numbered, say, transcript } from '../../src/testing/helpers.ts'
import { damageFirstInIndexedDb } from '../store/support/damage-first-record.ts'

const name = 'check'

async function open() {
  const indexedDB = new IDBFactory()
  const store = createSessionStore(await openIndexedDbBackend({ name, indexedDB, IDBKeyRange }))
  return { store, damage: (key: string) => damageFirstInIndexedDb(indexedDB, IDBKeyRange, name, key) }
}

it('checks everything, deleted sessions too, and tells how far it is', async () => {
  const { store, damage } = await open()
  for (const key of ['a', 'b', 'gone']) await say(store, key, numbered(100))
  await store.delete('gone')
  await damage('b')
  const progress: JobProgress[] = []
  const report = await verifyStore(store, { onProgress: (one) => progress.push(one) })
  expect([report.sessions, new Set(report.problems.map(({ key }) => key))]).toEqual([3, new Set(['b'])])
  expect(progress).toHaveLength(3)
  expect(progress.at(-1)).toMatchObject({ readBytes: (await store.usage()).entryBytes, totalBytes: (await store.usage()).entryBytes, entries: report.entries, skipped: report.problems.length })
  expect(await verifyStore(store, { key: 'a' })).toEqual(await store.verify('a'))
  await store.close()
})

it('mends session by session, and reports each with what is left', async () => {
  const { store, damage } = await open()
  for (const key of ['a', 'b', 'c']) await say(store, key, numbered(100))
  await damage('a')
  await damage('c')
  const report = await repairStore(store)
  expect(report.repaired).toBeGreaterThan(1)
  expect(report.outcomes.map(({ key, setAside, isRefilled }) => [key, setAside, isRefilled]).sort()).toEqual([['a', 1, false], ['c', 1, false]])
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
  await expect(repairStore(store, { signal: ending.signal, onProgress: () => ending.abort() })).rejects.toMatchObject({ name: 'Aborted' })
  expect((await store.verify()).problems.filter(({ kind }) => kind === 'unreadable')).toHaveLength(1)
  await store.close()
})
