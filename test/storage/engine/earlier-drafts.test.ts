import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

const entry = { type: 'message', message: { role: 'user', content: 'text' } } as const

/** A session that was deleted and restarted while a reply was streamed into it. */
async function restartWithDraft(backend: StorageBackend, id = 'draft') {
  const store = createSessionStore(backend)
  await store.append('s', [entry])
  await store.openDraft('s', { role: 'assistant', id })
  await store.writeDraft('s', id, 0, { text: 'a secret ' })
  await store.writeDraft('s', id, 1, { text: 'of old' })
  await store.delete('s')
  await store.append('s', [entry])
  return store
}

const draftsIn = async (backend: StorageBackend) => (await backend.listDrafts()).map(({ id }) => id)

it('a draft from before a restart is erased when the drafts of its session are listed', async () => {
  const backend = createMemoryBackend()
  const store = await restartWithDraft(backend)
  const id = await store.openDraft('s', { role: 'assistant' })
  expect((await store.listDrafts('s')).map((draft) => draft.id)).toEqual([id])
  expect(await draftsIn(backend)).toEqual([id])
})

it('the next store of a place erases drafts from before a restart', async () => {
  const backend = createMemoryBackend()
  await restartWithDraft(backend)
  const next = createSessionStore(backend, { owner: 'next', onOwnerGone: () => () => undefined })
  expect((await next.read('s')).entries).toHaveLength(1)
  expect(await draftsIn(backend)).toEqual([])
})

it('a draft that is opened under the id of one from before a restart has nothing of it', async () => {
  const store = await restartWithDraft(createMemoryBackend())
  await store.openDraft('s', { role: 'assistant', id: 'draft' })
  await store.writeDraft('s', 'draft', 0, { text: 'new' })
  expect((await store.listDrafts('s')).map(({ text }) => text)).toEqual(['new'])
})

it('the drafts of a session that is only deleted stay, and an undelete brings them back', async () => {
  const backend = createMemoryBackend()
  const store = createSessionStore(backend)
  await store.append('s', [entry])
  await store.openDraft('s', { role: 'assistant', id: 'draft' })
  await store.writeDraft('s', 'draft', 0, { text: 'kept' })
  await store.delete('s')
  expect(await store.listDrafts('s')).toEqual([])
  await store.undelete('s')
  expect((await store.listDrafts('s')).map(({ text }) => text)).toEqual(['kept'])
})
