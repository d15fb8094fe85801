import { expect, it } from 'vitest'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

const say = async (store: SessionStore, role: string, content: string) =>
  (await store.append('k', [{ type: 'message', message: { role, content } }])).entries[0]!
const texts = async (store: SessionStore): Promise<unknown[]> =>
  (await store.read('k', { after: '', limit: 100 })).entries.map(({ message }) => message?.content)

/** Streams a reply, and does something while it grows. */
async function reply(store: SessionStore, text: string, meanwhile?: () => Promise<unknown>): Promise<void> {
  const draft = await store.openDraft('k', { role: 'assistant' })
  await store.writeDraft('k', draft, 0, { text })
  await meanwhile?.()
  await store.sealDraft('k', draft)
}

it('stores a streamed reply behind a question of another tab that was edited since', async () => {
  const backend = createMemoryBackend()
  const [one, other] = [createSessionStore(backend), createSessionStore(backend)]
  await say(one, 'user', 'q1')
  await say(one, 'assistant', 'a1')
  const question = await say(other, 'user', 'q2')
  await other.edit('k', question, { role: 'user', content: 'q2 edited' })
  await reply(one, 'a2')
  expect(await texts(one)).toEqual(['q1', 'a1', 'q2 edited', 'a2'])
})

it('stores a streamed reply in the turn that was the last one when it was begun, though that was edited before', async () => {
  const backend = createMemoryBackend()
  const question = await say(createSessionStore(backend), 'user', 'q1')
  const store = createSessionStore(backend)
  await store.edit('k', question, { role: 'user', content: 'q1 edited' })
  await reply(store, 'a1', () => say(store, 'user', 'q2'))
  expect(await texts(store)).toEqual(['q1 edited', 'a1', 'q2'])
})

it('stores a reply on the line that is shown when its branch was deleted while it grew', async () => {
  const backend = createMemoryBackend()
  const [store, other] = [createSessionStore(backend), createSessionStore(backend)]
  const question = await say(store, 'user', 'q1')
  await say(store, 'assistant', 'a1')
  const { id: branch } = await store.openBranch('k', { after: question })
  await reply(store, 'another', async () => {
    await other.switchBranch('k', '')
    await other.deleteBranch('k', branch)
  })
  expect(await texts(store)).toEqual(['q1', 'a1', 'another'])
})

/** A reply that was cut off, is resumed by a tab, and is removed by another one. */
async function removedWhileResumed() {
  const backend = createMemoryBackend()
  const owner = createSessionStore(backend, { owner: 'one', isOwnerAlive: async () => true })
  await say(owner, 'user', 'q1')
  const [resume] = (
    await owner.append('k', [{ type: 'message', message: { role: 'assistant', content: 'half', interrupted: true } }])
  ).entries
  const draft = await owner.openDraft('k', { role: 'assistant', resume: resume! })
  await owner.writeDraft('k', draft, 1, { text: ' more' })
  const other = createSessionStore(backend, { owner: 'other', isOwnerAlive: async () => false })
  await other.remove('k', resume!)
  return { owner, other, draft }
}

it('does not bring back a removed reply because the page died that resumed it', async () => {
  const { other } = await removedWhileResumed()
  expect(await other.listDrafts('k')).toEqual([])
  expect(await texts(other)).toEqual(['q1'])
})

it('says that a reply was removed while it was resumed, and does not bring it back', async () => {
  const { owner, draft } = await removedWhileResumed()
  await expect(owner.sealDraft('k', draft)).rejects.toMatchObject({
    name: 'InvalidInput',
    message: expect.stringContaining('was removed while it was resumed'),
  })
  expect(await texts(owner)).toEqual(['q1'])
})
