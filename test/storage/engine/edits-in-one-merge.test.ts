import { expect, it } from 'vitest'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

it('counts a row once that several edits of one merge change', async () => {
  const [store, other] = [createSessionStore(createMemoryBackend()), createSessionStore(createMemoryBackend())]
  await store.addMessage('s', 'user', 'one')
  await store.addMessage('s', 'user', 'two')
  await other.merge('s', (await store.changes('s')).entries)
  const [row] = (await store.read('s')).entries
  await store.edit('s', row!, { role: 'user', content: 'a longer one' })
  await store.remove('s', row!)
  await store.edit('s', row!, { role: 'user', content: 'and here it is again' })
  await other.merge('s', (await store.changes('s')).entries)
  expect((await other.verify('s')).problems).toEqual([])
  const { createdAt: _, ...meta } = (await other.getMeta('s'))!
  expect(await store.getMeta('s')).toMatchObject(meta)
})
