import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StoreChange } from '../../src/contract/change.ts'
import type { OperationRow } from '../../src/contract/operation-row.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import type { StoreName } from '../../src/storage/indexeddb/schema.ts'
import { setScene } from '../../src/testing/calls.ts'
import { everything, numbered, say, transcript } from '../../src/testing/helpers.ts'
import { failValues } from '../support/indexeddb-faults.ts'
import { planSession } from './backend-fixtures.ts'
import { changeStore, openNative } from './damage-indexeddb.ts'

const name = 'salvage'
let factory: IDBFactory
let stores: SessionStore[]
let changes: StoreChange[]

async function openAgain(): Promise<SessionStore> {
  const store = createSessionStore(await openIndexedDbBackend({ name, indexedDB: factory, IDBKeyRange }), {
    onChange: (change) => changes.push(change),
  })
  stores.push(store)
  return store
}

const notices = (): readonly string[] => changes.flatMap((change) => (change.type === 'notice' ? [change.name] : []))

async function valuesOf<T>(store: StoreName): Promise<T[]> {
  const database = await openNative(factory, name)
  try {
    return await new Promise((resolve) => {
      const request = database.transaction(store).objectStore(store).getAll()
      request.onsuccess = () => resolve(request.result as T[])
    })
  } finally {
    database.close()
  }
}

const numberOf = async (key: string): Promise<number> =>
  (await valuesOf<{ key: string; session: number }>('sessions')).find((row) => row.key === key)!.session

beforeEach(() => {
  factory = new IDBFactory()
  stores = []
  changes = []
})

afterEach(async () => {
  for (const store of stores) await store.close()
})

const damages: readonly (readonly [what: string, damage: (key: string) => Promise<void>])[] = [
  [
    'a hot row of which only the key is left',
    async (key) => void (await changeStore(factory, name, 'sessions', (store) => store.put({ key, nonsense: true }))),
  ],
  [
    'a hot row of another shape',
    async (key) =>
      void (await changeStore(factory, name, 'sessions', (store) =>
        store.put({ key, session: undefined, version: 'new', entries: 3, head: '' }),
      )),
  ],
  [
    'a cold row of another shape',
    async (key) => {
      const session = await numberOf(key)
      await changeStore(factory, name, 'details', (store) => store.put({ vv: 5 }, session))
    },
  ],
  [
    'a cold row that is gone',
    async (key) => {
      const session = await numberOf(key)
      await changeStore(factory, name, 'details', (store) => store.delete(session))
    },
  ],
  [
    'a hot row and a cold row',
    async (key) => {
      const session = await numberOf(key)
      await changeStore(factory, name, 'details', (store) => store.put(7, session))
      await changeStore(factory, name, 'sessions', (store) => store.put({ key }))
    },
  ],
]

describe.each(damages)('with %s', (_, damage) => {
  it('gives the session back from its entries, as it was', async () => {
    const store = await openAgain()
    await setScene(store, 's')
    await say(store, 'neighbour', ['a'])
    const before = await everything(store, 's')
    await store.close()
    await damage('s')
    const again = await openAgain()
    expect(await everything(again, 's')).toEqual(before)
    expect(await transcript(again, 'neighbour')).toEqual(['a'])
    expect((await again.verify()).problems).toEqual([])
    expect(notices()).toEqual(['repaired'])
  })

  it('lists it, and the others', async () => {
    const store = await openAgain()
    await setScene(store, 's')
    await say(store, 'neighbour', ['a'])
    const before = await store.listSessions()
    await store.close()
    await damage('s')
    const again = await openAgain()
    expect((await again.listSessions()).sessions.map(({ key }) => key).sort()).toEqual(['neighbour', 's'])
    await again.read('s')
    expect(await again.listSessions()).toEqual(before)
  })

  it('goes on writing to it, also in a tab that still has its rows', async () => {
    const [one, other] = [await openAgain(), await openAgain()]
    await say(one, 's', numbered(70))
    await other.read('s')
    await damage('s')
    await say(one, 's', ['next'])
    await say(other, 's', ['and next'])
    expect(await transcript(one, 's')).toEqual([...numbered(70), 'next', 'and next'])
    expect((await one.verify()).problems).toEqual([])
  })
})

it('takes in what another tab stores while a cold row is made again', async () => {
  const [one, other] = [await openAgain(), await openAgain()]
  await say(one, 's', numbered(200))
  await other.append('s', [{ type: 'message', message: { role: 'user', content: 'before' } }])
  const session = await numberOf('s')
  await changeStore(factory, name, 'details', (store) => store.delete(session))
  const third = await openAgain()
  const writing = Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      other.append('s', [{ type: 'message', message: { role: 'user', content: `n${i}` } }]),
    ),
  )
  await third.read('s')
  await writing
  expect([...(await transcript(third, 's'))].sort()).toEqual(
    [...numbered(200), 'before', ...Array.from({ length: 30 }, (_, i) => `n${i}`)].sort(),
  )
  expect((await third.verify()).problems).toEqual([])
})

it('still knows the newest operations when a hot row is damaged elsewhere, so that none of them is done twice', async () => {
  const store = await openAgain()
  const append = (to: SessionStore, operationId: string) =>
    to.append('s', [{ type: 'message', message: { role: 'user', content: operationId } }], { operationId })
  for (const id of ['one', 'two']) await append(store, id)
  await store.close()
  const [row] = await valuesOf<object>('sessions')
  await changeStore(factory, name, 'sessions', (sessions) => sessions.put({ ...row, version: 'new' }))
  const again = await openAgain()
  for (const id of ['one', 'two', 'three']) await append(again, id)
  expect(await transcript(again, 's')).toEqual(['one', 'two', 'three'])
})

it.each(damages)(
  'with %s, still knows the operations of the logs that went on in it, so that none of them is done twice',
  async (_, damage) => {
    const store = await openAgain()
    const append = (to: SessionStore, key: string, operationId: string) =>
      to.append(key, [{ type: 'message', message: { role: 'user', content: operationId } }], { operationId })
    await append(store, 'first', 'one')
    await store.ensureSessionMetadata('second', undefined, ['first'])
    await append(store, 'second', 'two')
    await store.ensureSessionMetadata('third', undefined, ['second'])
    await store.close()
    await damage('third')
    const again = await openAgain()
    for (const id of ['one', 'two', 'three']) await append(again, 'third', id)
    expect(await transcript(again, 'third')).toEqual(['one', 'two', 'three'])
  },
)

it('leaves a session alone whose entries nobody can tell from those of another', async () => {
  const store = await openAgain()
  for (const key of ['a', 'b', 'c']) await say(store, key, [key])
  const rows = await valuesOf<{ key: string }>('sessions')
  expect(rows).toHaveLength(3)
  const cold = await Promise.all(['a', 'b'].map(numberOf))
  for (const number of cold)
    await changeStore(factory, name, 'details', (details) => details.put({ nonsense: true }, number))
  for (const key of ['a', 'b']) await changeStore(factory, name, 'sessions', (sessions) => sessions.put({ key }))
  const again = await openAgain()
  await expect(again.read('a')).rejects.toMatchObject({ name: 'ChecksumMismatch' })
  expect(await transcript(again, 'c')).toEqual(['c'])
  expect((await again.verify()).problems.map(({ key, kind }) => [key, kind])).toEqual([
    ['a', 'row'],
    ['b', 'row'],
  ])
})

it("lists the others while one value can't be read at all", async () => {
  const store = await openAgain()
  for (const key of ['a', 'b', 'c']) await say(store, key, [key])
  const failing = failValues('sessions', 'b', 'NotReadableError')
  const again = await openAgain()
  expect((await again.listSessions()).sessions.map(({ key }) => key).sort()).toEqual(['a', 'b', 'c'])
  failing.restore()
  expect(await transcript(again, 'b')).toEqual(['b'])
})

describe('costs no more than itself:', () => {
  it("a piece of a draft that can't be read, whatever session is purged", async () => {
    const backend = await openIndexedDbBackend({ name, indexedDB: factory, IDBKeyRange })
    const hash = 'c'.repeat(64)
    const rowOf = (session: number, key: string) => ({
      id: `of ${key}`,
      session,
      key,
      branch: '',
      role: 'assistant',
      startedAt: 0,
      version: 1,
    })
    await backend.putBlob(hash, new Blob(['kept']), 5)
    await planSession('a', 1).write(backend, { references: [{ hash, by: 1, at: 5 }], drafts: [{ put: rowOf(1, 'a') }] })
    await planSession('b', 2).write(backend, {
      drafts: [{ put: rowOf(2, 'b') }, { draft: 'of b', n: 0, chunk: { text: 'b' } }],
    })
    for (const lost of [
      [2, 'of b', 0],
      [2, 'of b', -1],
    ]) {
      const failing = failValues('drafts', lost, 'NotReadableError')
      try {
        await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1 }] }, 'strict')
        // It may name it.
        expect(await backend.getBlob(hash)).toBeDefined()
        expect((await backend.listDrafts()).length).toBe(lost[2] === 0 ? 1 : 0)
      } finally {
        failing.restore()
      }
    }
    expect(await backend.collectBlobs(10)).toEqual([hash])
    await backend.close()
  })

  it('a damaged alias, which can be given again', async () => {
    const store = await openAgain()
    await store.ensureSessionMetadata('s', undefined, ['x', 'y'])
    await say(store, 's', ['a'])
    await changeStore(factory, name, 'aliases', (aliases) => aliases.put({ alias: 'x', key: 5 }))
    const again = await openAgain()
    expect([await again.resolveSessionKey('x'), await again.resolveSessionKey('y')]).toEqual(['x', 's'])
    expect(await again.ensureSessionMetadata('t', undefined, ['x'])).toMatchObject({ conflicts: [] })
    expect(await again.resolveSessionKey('x')).toBe('t')
  })

  it.each([null, 5, { nonsense: true }, [null]])('a row of operations that holds %j', async (nonsense) => {
    const backend = await openIndexedDbBackend({ name, indexedDB: factory, IDBKeyRange })
    const a = planSession('a', 1)
    const operation = (n: number): OperationRow => ({ id: `o${n}`, fingerprint: 'f', result: null, n })
    for (const n of [0, 1, 2]) await a.write(backend, { operations: [operation(n)] })
    await changeStore(factory, name, 'operations', (operations) => operations.put(nonsense, [1, 'o0']))
    expect([await backend.findOperation(1, 'o0'), await backend.findOperation(1, 'o2')]).toEqual([
      undefined,
      operation(2),
    ])
    await a.write(backend, { operations: [operation(3)], pruneOperations: 2 })
    expect([await backend.findOperation(1, 'o1'), await backend.findOperation(1, 'o3')]).toEqual([
      undefined,
      operation(3),
    ])
    expect(await valuesOf('operations')).toHaveLength(2)
    await backend.close()
  })

  it.each([null, 5, { id: 7 }])('a draft whose row, or a piece of it, is %j', async (nonsense) => {
    const store = await openAgain()
    await say(store, 's', ['a'])
    for (const id of ['one', 'two']) {
      await store.openDraft('s', { role: 'assistant', id })
      await store.writeDraft('s', id, 0, { text: 'x' })
      await store.writeDraft('s', id, 1, { text: 'y' })
    }
    const session = await numberOf('s')
    await changeStore(factory, name, 'drafts', (drafts) => drafts.put(nonsense, [session, 'one', -1]))
    await changeStore(factory, name, 'drafts', (drafts) => drafts.put(5, [session, 'two', 0]))
    const again = await openAgain()
    expect((await again.listDrafts('s')).map(({ id, text }) => [id, text])).toEqual([['two', 'y']])
    expect((await again.usage()).draftBytes).toBeGreaterThan(0)
    await again.dropDraft('s', 'two')
    await again.purge('s')
  })

  it.each([{ size: 3, blob: 'gone' }, { size: 3 }])(
    'a blob of which %j is left, which can be stored again',
    async (nonsense) => {
      const store = await openAgain()
      const [hash, other] = [await store.putBlob(new Blob(['abc'])), await store.putBlob(new Blob(['other']))]
      await changeStore(factory, name, 'blobs', (blobs) => blobs.put(nonsense, hash))
      await expect(store.getBlob(hash)).rejects.toMatchObject({ name: 'ChecksumMismatch' })
      expect(await (await store.getBlob(other))?.text()).toBe('other')
      expect(await store.putBlob(new Blob(['abc']))).toBe(hash)
      expect(await (await store.getBlob(hash))?.text()).toBe('abc')
    },
  )
})
