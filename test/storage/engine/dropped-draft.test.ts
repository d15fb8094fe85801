import { expect, it } from 'vitest'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

it('says of a draft that is gone from its own session that it has ended, and not that its session was deleted', async () => {
  const backend = createMemoryBackend()
  const [store, other] = [createSessionStore(backend), createSessionStore(backend)]
  await store.addMessage('k', 'user', 'a question')
  const draft = await store.openDraft('k', { role: 'assistant' })
  await other.dropDraft('k', draft)
  const message = { role: 'assistant', content: 'the answer' }
  await expect(store.sealDraft('k', draft, message)).rejects.toMatchObject({ name: 'InvalidInput' })
  await store.close()
})
