import { expect, it } from 'vitest'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { erasePurged } from '../../src/sync/erase-purged.ts'
import type { KeyScope } from '../../src/sync/key-scope.ts'
import { createLocalSessions } from '../../src/sync/local-sessions.ts'
import { createReport } from '../../src/sync/report.ts'
import { sessionDocumentId } from '../../src/sync/session-document-id.ts'
import type { SettledSessions } from '../../src/sync/settled-sessions.ts'

it('erases nothing that was said since it was last looked', async () => {
  const store = createSessionStore(createMemoryBackend())
  const locals = createLocalSessions(store, sessionDocumentId)
  await store.addMessage('s', 'user', 'purged elsewhere')
  await locals.refresh()
  const purged = (await store.getVector('s'))!
  await store.addMessage('s', 'user', 'said a moment ago')
  const settled: SettledSessions = {
    entryOf: () => ({
      key: 's',
      title: '',
      createdAt: 0,
      updatedAt: 0,
      messageCount: 0,
      hash: '',
      purged,
      hp: 0,
      hc: 0,
    }),
    has: () => false,
    add: () => undefined,
    delete: () => undefined,
    clear: () => undefined,
  }
  const report = createReport()
  await erasePurged('s', {
    our: () => ({ locals }) as KeyScope,
    store,
    term: {},
    settled,
    report,
    onErase: async () => undefined,
  })
  expect((await store.getMeta('s'))?.deletedAt).toBeDefined()
  await store.undelete('s')
  expect((await store.getHistory('s')).map(({ content }) => content)).toEqual(['purged elsewhere', 'said a moment ago'])
})
