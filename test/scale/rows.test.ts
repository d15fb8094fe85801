import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { afterAll, expect, it } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { countRequests } from './support/count-requests.ts'

const requests = countRequests()
afterAll(() => requests.restore())

async function storeWith(rows: number): Promise<SessionStore> {
  const store = createSessionStore(
    await openIndexedDbBackend({ name: `${rows} rows`, indexedDB: new IDBFactory(), IDBKeyRange }),
  )
  for (let from = 0; from < rows; from += 1000)
    await store.writeRows(
      'c',
      Array.from({ length: Math.min(1000, rows - from) }, (_, i) => ({ type: 'put', key: `k${from + i}`, value: i })),
    )
  return store
}

const calls: readonly (readonly [string, (store: SessionStore) => Promise<unknown>])[] = [
  ['getRows', (store) => store.getRows('c', ['k7', 'none'])],
  ['listRows', (store) => store.listRows('c', { from: 'k1', limit: 5 })],
  ['listRows from the end', (store) => store.listRows('c', { reverse: true, limit: 5 })],
  [
    'writeRows',
    (store) =>
      store.writeRows(
        'c',
        [
          { type: 'insertIfAbsent', key: 'k7', value: 1 },
          { type: 'put', key: 'k8', value: 1 },
          { type: 'delete', key: 'k9' },
        ],
        { operationId: 'o' },
      ),
  ],
]

it('asks the same of the database with 20 rows as with 6,000', async () => {
  const [few, many] = [await storeWith(20), await storeWith(6000)]
  const costs = async (store: SessionStore): Promise<unknown> => {
    const found: [string, number][] = []
    for (const [name, call] of calls) {
      const before = requests.read()
      await call(store)
      found.push([name, requests.read() - before])
    }
    return found
  }
  expect(await costs(many)).toEqual(await costs(few))
  await few.close()
  await many.close()
})
