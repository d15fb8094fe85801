import { expect, it } from 'vitest'
import type { VersionVector } from '../../src/contract/entry.ts'
import { isSessionError } from '../../src/contract/errors.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { erasePurged } from '../../src/sync/erase-purged.ts'
import type { KeyScope } from '../../src/sync/key-scope.ts'
import { createLocalSessions } from '../../src/sync/local-sessions.ts'
import { createReceivedEntries } from '../../src/sync/received-entries.ts'
import { createReport } from '../../src/sync/report.ts'
import { sessionDocumentId } from '../../src/sync/session-document-id.ts'
import type { SettledSessions } from '../../src/sync/settled-sessions.ts'

/** A list that says this much of `s` was purged on another device. */
const settledAs = (purged: VersionVector): SettledSessions => ({
  entryOf: () => ({ key: 's', title: '', createdAt: 0, updatedAt: 0, messageCount: 0, hash: '', purged, hp: 0, hc: 0 }),
  has: () => false,
  add: () => undefined,
  delete: () => undefined,
  clear: () => undefined,
})

it('erases nothing that was said since it was last looked', async () => {
  const store = createSessionStore(createMemoryBackend())
  const locals = createLocalSessions(store, sessionDocumentId)
  await store.addMessage('s', 'user', 'purged elsewhere')
  await locals.refresh()
  const purged = (await store.getVector('s'))!
  await store.addMessage('s', 'user', 'said a moment ago')
  const report = createReport()
  await erasePurged('s', {
    our: () => ({ locals }) as KeyScope,
    store,
    term: {},
    settled: settledAs(purged),
    report,
    received: createReceivedEntries(),
    onErase: async () => undefined,
  })
  expect((await store.getMeta('s'))?.deletedAt).toBeDefined()
  await store.undelete('s')
  expect((await store.getHistory('s')).map(({ content }) => content)).toEqual(['purged elsewhere', 'said a moment ago'])
})

it('deletes nothing of what was begun anew since it was looked', async () => {
  const store = createSessionStore(createMemoryBackend())
  const locals = createLocalSessions(store, sessionDocumentId)
  await store.addMessage('s', 'user', 'purged elsewhere')
  const purged = (await store.getVector('s'))!
  await store.addMessage('s', 'user', 'never there')
  await locals.refresh()
  const erasing = erasePurged('s', {
    our: () => ({ locals }) as KeyScope,
    store,
    term: {},
    settled: settledAs(purged),
    report: createReport(),
    received: createReceivedEntries(),
    onErase: async () => {
      await store.purge('s')
      await store.addMessage('s', 'user', 'begun anew')
    },
  })
  await expect(erasing).rejects.toSatisfy((error) => isSessionError(error, 'ParentMoved'))
  expect((await store.getMeta('s'))?.deletedAt).toBeUndefined()
  expect((await store.getHistory('s')).map(({ content }) => content)).toEqual(['begun anew'])
})
