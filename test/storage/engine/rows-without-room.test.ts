import { expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import { SessionError } from '../../../src/contract/errors.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

/** A backend with one session whose row can't be read, nor replaced while there is no room. */
async function damagedBackend() {
  const memory = createMemoryBackend()
  const before = createSessionStore(memory)
  await before.addMessage('s', 'user', 'before')
  const { hot, cold } = (await memory.loadSession('s'))!
  const disk = { isFull: true, isDamaged: true, commits: 0 }
  const backend: StorageBackend = {
    ...memory,
    loadSession: async (key) => {
      if (key === 's' && disk.isDamaged) throw new SessionError('ChecksumMismatch', 'Damaged.')
      return memory.loadSession(key)
    },
    commit: async (batch, durability) => {
      disk.commits++
      const isOnDamaged =
        disk.isDamaged &&
        [
          ...batch.sessions.map((write) => write.hot.key),
          ...batch.erase.filter(({ version }) => version !== undefined).map(({ key }) => key),
        ].includes('s')
      return isOnDamaged ? { stored: false, stale: ['s'] } : memory.commit(batch, durability)
    },
    salvage: {
      findRemains: async () => ({
        session: hot.session,
        hot,
        cold,
        lanes: [0],
        operations: hot.operations,
        recent: hot.recent,
      }),
      findOtherNumbers: async () => [],
      replaceRows: async () => {
        if (disk.isFull) throw new SessionError('QuotaExceeded', 'No room.')
        disk.isDamaged = false
        return true
      },
    },
  }
  return { disk, backend }
}

it('rejects a write to a session whose damaged row finds no room, and takes the next one once there is some', async () => {
  const { disk, backend } = await damagedBackend()
  const store = createSessionStore(backend)
  expect((await store.getHistory('s')).map(({ content }) => content)).toEqual(['before'])
  await expect(store.addMessage('s', 'user', 'refused')).rejects.toMatchObject({ name: 'QuotaExceeded' })
  // It was not tried two hundred times.
  expect(disk.commits).toBeLessThan(5)
  await store.addMessage('other', 'user', 'beside it')
  disk.isFull = false
  await store.addMessage('s', 'user', 'after')
  expect((await store.getHistory('s')).map(({ content }) => content)).toEqual(['before', 'after'])
})

it('gives up purging a session that it never finds unchanged', async () => {
  const memory = createMemoryBackend()
  const store = createSessionStore({
    ...memory,
    commit: async (batch, durability) =>
      batch.erase.length > 0 ? { stored: false, stale: ['s'] } : memory.commit(batch, durability),
  })
  await store.addMessage('s', 'user', 'before')
  await store.delete('s')
  const deletedAt = (await memory.loadSession('s'))!.hot.deletedAt!
  await expect(store.purge('s', { deletedAt })).rejects.toMatchObject({ name: 'StorageUnavailable' })
})
