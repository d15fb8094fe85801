import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import { SessionError } from '../../../src/contract/errors.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

it('purges where there is no room to remember it', async () => {
  const memory = createMemoryBackend()
  const backend: StorageBackend = {
    ...memory,
    commit: async (batch, durability) => {
      if (batch.erase.some(({ vector }) => vector !== undefined)) throw new SessionError('QuotaExceeded', 'No room.')
      return memory.commit(batch, durability)
    },
  }
  const store = createSessionStore(backend)
  await store.listPurges()
  await store.addMessage('s', 'user', 'gone')
  await store.purge('s')
  expect(await store.getMeta('s')).toBeUndefined()
  expect(await store.listPurges()).toEqual([])
})
