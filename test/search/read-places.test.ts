import { IDBDatabase as FakeDatabase, IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { describe, expect, it, vi } from 'vitest'
import type { SessionPlaces } from '../../src/contract/session-places.ts'
import { createSearchService } from '../../src/search/create-search-service.ts'
import { readPlaces } from '../../src/search/read-block-places.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { changeStore, damageIndexedDb } from '../storage/damage-indexeddb.ts'

const say = (content: string) => ({ type: 'message', message: { role: 'user', content } }) as const
const name = 'places'

/** Two sessions with branches, edits and texts that lie outside of their records, and every place in them. */
async function openPlaces() {
  const factory = new IDBFactory()
  const backend = await openIndexedDbBackend({ name, indexedDB: factory, IDBKeyRange })
  const store = createSessionStore(backend)
  const asked: SessionPlaces[] = []
  for (const key of ['k', 'l']) {
    await store.append(
      key,
      Array.from({ length: 200 }, (_, i) => say(i % 50 === 7 ? `${i} ${'long '.repeat(9000)}` : `${key} ${i}`)),
    )
    const { entries } = await store.read(key, { last: 1000 })
    await store.edit(key, entries[3]!, { role: 'user', content: 'edited' })
    await store.edit(key, entries[4]!, { role: 'user', content: 'edited '.repeat(9000) })
    const branch = await store.openBranch(key, { after: entries[20]! })
    for (let i = 0; i < 5; i++) await store.append(key, [say(`on a branch ${i}`)])
    const more = (await store.read(key, { branch: branch.id, last: 5 })).entries
    asked.push({
      key,
      session: (await backend.loadSession(key))!.hot.session,
      places: [...entries, ...more].map(({ branch, order }) => ({ branch, order })),
    })
  }
  /** Place by place, as for a backend that has no other way. */
  const singly = (some: readonly SessionPlaces[]) =>
    readPlaces(
      {
        listSessions: backend.listSessions,
        loadSession: backend.loadSession,
        readRange: backend.readRange,
        findByMid: backend.findByMid,
      },
      some,
    )
  return {
    factory,
    backend,
    store,
    asked,
    singly,
    together: (some: readonly SessionPlaces[]) => readPlaces(backend, some),
  }
}

describe('places read together', () => {
  it('hold what each holds by itself', async () => {
    const { asked, singly, together } = await openPlaces()
    const found = await together(asked)
    expect(found).toEqual(await singly(asked))
    expect(found.map((one) => one?.entries.filter((entry) => entry !== undefined).length)).toEqual([205, 205])
    expect(JSON.stringify(found[0]!.entries[4]).length).toBeGreaterThan('edited '.length * 9000)
    const few = asked.map((one, i) => ({ ...one, places: [one.places[3 + i]!, one.places[150]!, one.places[203]!] }))
    expect(await together(few)).toEqual(await singly(few))
    const single = asked.map((one) => ({ ...one, places: [one.places[57]!] }))
    expect(await together(single)).toEqual(await singly(single))
    expect(await together([])).toEqual([])
  })

  it('are missing where there is none, and cost the others nothing', async () => {
    const {
      factory,
      store,
      asked: [first, second],
      singly,
      together,
    } = await openPlaces()
    const odd: readonly SessionPlaces[] = [
      { ...first!, key: 'nobody' },
      { ...first!, session: second!.session },
      {
        ...first!,
        places: [
          { branch: 'none', order: first!.places[0]!.order },
          { branch: 'toString', order: '' },
          first!.places[1]!,
          { branch: '', order: '~' },
          { branch: '', order: ' ' },
        ],
      },
    ]
    const found = await together(odd)
    expect(found).toEqual(await singly(odd))
    expect(found.map((one) => one?.entries.map((entry) => entry !== undefined))).toEqual([
      undefined,
      undefined,
      [false, false, true, false, false],
    ])

    await damageIndexedDb(factory, name, [first!.session, 0, first!.places[0]!.order])
    const harmed = await together([first!])
    expect(harmed).toEqual(await singly([first!]))
    expect(harmed[0]!.entries[0]).toBeUndefined()
    expect(harmed[0]!.entries[204]).toBeDefined()

    await changeStore(factory, name, 'details', (rows) => rows.put('no row', first!.session))
    expect((await together([first!, second!])).map((one) => one !== undefined)).toEqual([false, true])
    await store.purge('l')
    expect(await together([second!])).toEqual([undefined])
  })

  it('take one transaction', async () => {
    const { asked, backend, together } = await openPlaces()
    const [loading, reading] = [vi.spyOn(backend, 'loadSession'), vi.spyOn(backend, 'readRange')]
    await together(asked)
    expect([loading.mock.calls, reading.mock.calls]).toEqual([[], []])
  })
})

it('reads many small sessions for the first search in a few transactions, and large ones as they are', async () => {
  const factory = new IDBFactory()
  const backend = await openIndexedDbBackend({ name, indexedDB: factory, IDBKeyRange })
  const store = createSessionStore(backend)
  for (let i = 0; i < 70; i++) await store.append(`small-${i}`, [say(`hello ${i}`), say('hello again')])
  await store.edit('small-3', (await store.read('small-3')).entries[0]!, { role: 'user', content: 'edited' })
  await store.append(
    'large',
    Array.from({ length: 30 }, (_, i) => say(`hello ${i} ${'x'.repeat(5000)}`)),
  )
  const begun = vi.spyOn(FakeDatabase.prototype, 'transaction')
  const search = createSearchService({ source: backend })
  const count = async (query: string): Promise<number> =>
    (await search.search({ query, filter: { limit: 1000 }, known: [] })).length
  expect(await count('hello')).toBe(169)
  expect(begun.mock.calls.length).toBeLessThan(20)
  begun.mockRestore()
  expect(await count('edited')).toBe(1)
  await search.close()
  await store.close()
})
