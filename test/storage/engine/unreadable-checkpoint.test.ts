import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'

it("a checkpoint of a line that can't be read whole counts nothing, so that it holds once the rest is back", async () => {
  const backend = await openIndexedDbBackend({ name: 'checkpoint', indexedDB: new IDBFactory(), IDBKeyRange })
  let isUnreadable = false
  const store = createSessionStore({
    ...backend,
    readRange: async (read) => {
      const found = await backend.readRange(read)
      return isUnreadable && read.lane === 0
        ? { ...found, entries: found.entries.slice(1), unreadable: ['somewhere'] }
        : found
    },
  })
  await store.setHistory('a', [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
  ])
  const [first, last] = (await store.read('a')).entries
  // What was seen of a line that the head comes to is not known: it has to be read.
  for (const after of [first!, last!]) await store.openBranch('a', { after })
  isUnreadable = true
  const { id, checksum } = await store.checkpoint('a')
  expect(checksum).toBeUndefined()
  isUnreadable = false
  await store.restoreCheckpoint('a', id)
  expect(await store.getHistory('a')).toHaveLength(2)
  await store.close()
})
