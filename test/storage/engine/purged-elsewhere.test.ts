import { expect, it } from 'vitest'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

it('uses no address twice when another store purged the session', async () => {
  const backend = createMemoryBackend()
  const [one, two] = [createSessionStore(backend), createSessionStore(backend)]
  const first = await one.addMessage('s', 'user', 'before')
  await two.purge('s')
  const second = await one.addMessage('s', 'user', 'after')
  expect(second?.id).not.toBe(first?.id)
  expect((await one.getHistory('s')).map(({ content }) => content)).toEqual(['after'])
})
