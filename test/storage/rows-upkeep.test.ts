import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { describe, expect, it } from 'vitest'
import type { StoreChange } from '../../src/contract/change.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { openKeys } from '../../src/sealing/open-keys.ts'
import { sealBackend } from '../../src/sealing/seal-backend.ts'
import { repairStore, verifyStore } from '../../src/storage/check-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { createWebStorage } from '../support/web-storage.ts'
import { changeStore } from './damage-indexeddb.ts'

const name = 'rows'

/** A store, and how to damage the value of a row behind its back. */
interface Subject {
  readonly store: SessionStore
  readonly changes: StoreChange[]
  damage(key: string): Promise<unknown>
  /** How many values were set aside. */
  aside(): Promise<number>
}

async function overIndexedDb(isSealed: boolean): Promise<Subject> {
  const indexedDB = new IDBFactory()
  const changes: StoreChange[] = []
  const plain = await openIndexedDbBackend({ name, indexedDB, IDBKeyRange, canUnseal: isSealed })
  const backend = isSealed ? sealBackend(plain, await openKeys(plain, { passphrase: 'right' })) : plain
  return {
    store: createSessionStore(backend, { onChange: (change) => changes.push(change) }),
    changes,
    damage: (key) =>
      changeStore(indexedDB, name, 'rows', (rows) => {
        const request = rows.get(['c', key])
        request.onsuccess = () => {
          const { data, ...row } = request.result
          const other = typeof data === 'string' ? `${data.slice(0, -1)}!` : data.map((byte: number) => byte ^ 1)
          rows.put({ ...row, data: other }, ['c', key])
        }
        return request
      }),
    aside: () => changeStore(indexedDB, name, 'aside', (aside) => aside.count()),
  }
}

async function overWebStorage(): Promise<Subject> {
  const storage = createWebStorage()
  const changes: StoreChange[] = []
  const backend = await openWebStorageBackend({ name, storage })
  const place = (key: string): string => `${name}:row:"c":${key}`
  return {
    store: createSessionStore(backend, { onChange: (change) => changes.push(change) }),
    changes,
    damage: async (key) => storage.setItem(place(key), `${storage.getItem(place(key))}!`),
    aside: async () =>
      Array.from({ length: storage.length }, (_, i) => storage.key(i)).filter((key) =>
        key?.startsWith(`${name}:row-aside:`),
      ).length,
  }
}

const subjects: readonly (readonly [string, () => Promise<Subject>])[] = [
  ['IndexedDB', () => overIndexedDb(false)],
  ['an encrypted store', () => overIndexedDb(true)],
  ['Web Storage', overWebStorage],
]

async function filled(open: () => Promise<Subject>): Promise<Subject> {
  const subject = await open()
  await subject.store.writeRows('c', [
    { type: 'put', key: 'json', value: { n: 1 } },
    { type: 'put', key: 'bytes', value: new Uint8Array([1, 2, 3]) },
    { type: 'put', key: 'sound', value: 'sound' },
  ])
  subject.changes.length = 0
  return subject
}

describe.each(subjects)('a damaged row in %s', (_, open) => {
  it('is reported by a check, and hides no other row', async () => {
    const { store, damage } = await filled(open)
    await damage('json')
    await damage('bytes')
    const problems = ['bytes', 'json'].map((at) => ({ key: 'c', kind: 'collection', at }))
    expect((await store.verify()).problems).toMatchObject(problems)
    expect((await verifyStore(store)).problems).toMatchObject(problems)
    expect(await store.checkRows()).toMatchObject({ rows: 3, repaired: 0, problems })
    expect(await store.listRows('c')).toEqual({
      rows: [{ key: 'sound', value: 'sound' }],
      unreadable: ['bytes', 'json'],
    })
    await expect(store.getRows('c', ['sound', 'json'])).rejects.toMatchObject({
      name: 'ChecksumMismatch',
      message: expect.stringContaining('"json"'),
    })
  })

  it('is set aside by a repair, which tells subscribers', async () => {
    const { store, damage, changes, aside } = await filled(open)
    await damage('json')
    expect(await repairStore(store)).toMatchObject({ repaired: 1, problems: [{ kind: 'collection', at: 'json' }] })
    expect(await store.getRows('c', ['json', 'sound'])).toEqual([undefined, 'sound'])
    expect([await aside(), changes]).toEqual([1, [{ type: 'collection', collection: 'c', keys: ['json'] }]])
    expect((await store.repair()).problems).toEqual([])
  })

  it('can be written again, and is no reason to insert', async () => {
    const { store, damage } = await filled(open)
    await damage('json')
    expect(await store.writeRows('c', [{ type: 'insertIfAbsent', key: 'json', value: 2 }])).toEqual([false])
    await store.writeRows('c', [{ type: 'put', key: 'json', value: 3 }])
    expect(await store.getRows('c', ['json'])).toEqual([3])
    expect((await store.verify()).problems).toEqual([])
  })
})

it('finds a collection of which every row is damaged beyond recognition', async () => {
  const indexedDB = new IDBFactory()
  const store = createSessionStore(await openIndexedDbBackend({ name, indexedDB, IDBKeyRange }))
  await store.writeRows('c', [{ type: 'put', key: 'a', value: 1 }], { operationId: 'o' })
  await changeStore(indexedDB, name, 'rows', (rows) => rows.put('nonsense', ['c', 'a']))
  expect(await store.checkRows({ repair: true })).toMatchObject({ rows: 1, repaired: 1 })
  expect(await store.listCollections()).toEqual([])
})

it('counts what each collection takes, and nothing of them for one session', async () => {
  const { store } = await filled(() => overIndexedDb(false))
  expect((await store.usage()).collections).toEqual([{ name: 'c', rows: 3, bytes: 7 + 3 + 7 }])
  expect((await store.usage('s')).collections).toEqual([])
})
