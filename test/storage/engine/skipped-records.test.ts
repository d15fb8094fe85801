import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { StoreChange } from '../../../src/contract/change.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { changeStore, damageIndexedDb } from '../damage-indexeddb.ts'

it('says once that a part of a session could not be read, because a list of messages does not show what it lacks', async () => {
  const indexedDB = new IDBFactory()
  const changes: StoreChange[] = []
  const store = createSessionStore(await openIndexedDbBackend({ name: 'skipped', indexedDB, IDBKeyRange }), {
    onChange: (change) => void changes.push(change),
  })
  for (const content of ['one', 'two']) await store.addMessage('s', 'user', content)
  const [first] = await changeStore(indexedDB, 'skipped', 'entries', (entries) => entries.getAllKeys())
  await damageIndexedDb(indexedDB, 'skipped', first as [number, number, string])
  expect(await store.read('s')).toMatchObject({ entries: [{ message: { content: 'two' } }], skipped: 1 })
  await store.read('s')
  expect(changes.filter(({ type }) => type === 'notice')).toMatchObject([
    { name: 'recordSkipped', message: expect.stringContaining('"s"') },
  ])
})
