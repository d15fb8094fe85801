import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { CoreBackend } from '../../../src/contract/backend.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'

const long = 'x'.repeat(100_000)
const content = { label: 'here', metadata: { note: long }, state: { plan: long } }

const open = () => openIndexedDbBackend({ name: 'checkpoint', indexedDB: new IDBFactory(), IDBKeyRange })
const textsOfRows = async (backend: CoreBackend): Promise<string> => JSON.stringify(await backend.loadSession('s'))

it('the rows of a session have neither states nor metadata of checkpoints', async () => {
  const backend = await open()
  const store = createSessionStore(backend)
  await store.setHistory('s', [{ role: 'user', content: 'one' }])
  const checkpoint = await store.checkpoint('s', content)
  await store.restoreCheckpoint('s', checkpoint.id)
  const stored = await textsOfRows(backend)
  expect(stored).toContain('here')
  expect(stored).not.toContain('xxx')
  expect(await store.listCheckpoints('s')).toEqual([checkpoint])
  expect(checkpoint.metadata).toEqual(content.metadata)
  await store.close()
})

it('a call that is repeated returns metadata and state again, and neither is stored with its operation', async () => {
  const backend = await open()
  const stored: unknown[] = []
  const store = createSessionStore({
    ...backend,
    commit: async (batch, durability) => {
      stored.push(...batch.sessions.flatMap(({ hot, operations }) => [hot.recent, operations]))
      return backend.commit(batch, durability)
    },
  })
  await store.setHistory('s', [{ role: 'user', content: 'one' }])
  const made = await store.checkpoint('s', { ...content, operationId: 'made' })
  const restored = await store.restoreCheckpoint('s', made.id, { operationId: 'restored' })
  expect(restored.state).toEqual(content.state)
  expect(await store.checkpoint('s', { ...content, operationId: 'made' })).toEqual(made)
  expect(await store.restoreCheckpoint('s', made.id, { operationId: 'restored' })).toEqual(restored)
  expect(JSON.stringify(stored)).not.toContain('xxx')
  await store.close()
})

it('a list of checkpoints never holds more than four states, and has the metadata of each', async () => {
  const backend = await open()
  let held = 0
  let most = 0
  const store = createSessionStore({
    ...backend,
    readRange: async (read) => {
      const isOfCheckpoint = read.lane === -1 && read.from === read.to
      if (isOfCheckpoint) most = Math.max(most, ++held)
      const found = await backend.readRange(read)
      if (isOfCheckpoint) held--
      return found
    },
  })
  await store.setHistory('s', [{ role: 'user', content: 'one' }])
  const made = []
  for (let i = 0; i < 40; i++) made.push(await store.checkpoint('s', { metadata: { i }, state: { plan: long } }))
  expect(await store.listCheckpoints('s')).toEqual(made)
  expect(most).toBe(4)
  await store.close()
})

it('a checkpoint of which the state was lost is listed, and not restored without it', async () => {
  const backend = await open()
  let isUnreadable = false
  const store = createSessionStore({
    ...backend,
    readRange: async (read) =>
      isUnreadable && read.lane === -1
        ? { entries: [], more: false, unreadable: ['somewhere'] }
        : backend.readRange(read),
  })
  await store.setHistory('s', [{ role: 'user', content: 'one' }])
  const { id } = await store.checkpoint('s', content)
  isUnreadable = true
  const [listed] = await store.listCheckpoints('s')
  expect([listed?.label, listed?.metadata]).toEqual(['here', undefined])
  await expect(store.restoreCheckpoint('s', id)).rejects.toMatchObject({ name: 'ChecksumMismatch' })
  isUnreadable = false
  expect((await store.restoreCheckpoint('s', id)).state).toEqual(content.state)
  await store.close()
})

it('checkpoints without metadata are listed without a read of their entries', async () => {
  const backend = await open()
  let reads = 0
  const store = createSessionStore({ ...backend, readRange: (read) => (reads++, backend.readRange(read)) })
  await store.setHistory('s', [{ role: 'user', content: 'one' }])
  await store.checkpoint('s', { state: { plan: long } })
  reads = 0
  expect(await store.listCheckpoints('s')).toHaveLength(1)
  expect(reads).toBe(0)
  await store.close()
})
