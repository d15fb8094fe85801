import { BaseStore, InMemoryStore } from '@langchain/langgraph-checkpoint'
import { BaseStore as OlderBaseStore } from 'langgraph-checkpoint-1-1'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLangGraphStore } from '../../../src/adapters/langgraph/create-langgraph-store.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { createProfile, type Profile } from '../../client/support/open-port-client.ts'

let profile: Profile
let store: BaseStore
const clients: SessionClient[] = []
async function openClient(): Promise<SessionClient> {
  const client = await profile.open({ name: 'memory' })
  clients.push(client)
  return client
}
beforeEach(async () => {
  profile = createProfile()
  store = createLangGraphStore(await openClient(), { BaseStore })
})
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

describe('an item', () => {
  it('comes back in another tab, with the base class of an older version, and keeps when it was created', async () => {
    await store.put(['users', 'ada'], 'prefs', { theme: 'dark' })
    const first = (await store.get(['users', 'ada'], 'prefs'))!
    expect(first).toEqual({
      value: { theme: 'dark' },
      key: 'prefs',
      namespace: ['users', 'ada'],
      createdAt: expect.any(Date),
      updatedAt: first.createdAt,
    })
    const there = createLangGraphStore(await openClient(), { BaseStore: OlderBaseStore })
    await there.put(['users', 'ada'], 'prefs', { theme: 'light' })
    const second = (await store.get(['users', 'ada'], 'prefs'))!
    expect([second.value, second.createdAt]).toEqual([{ theme: 'light' }, first.createdAt])
    expect(second.updatedAt.getTime()).toBeGreaterThanOrEqual(first.createdAt.getTime())
  })

  it('keeps dates and bytes', async () => {
    const value = { at: new Date(7), bytes: Uint8Array.of(1, 2), list: [{ $date: 'text' }] }
    await store.put(['a'], 'k', value)
    expect((await store.get(['a'], 'k'))!.value).toEqual(value)
  })

  it('is gone after it was deleted, and none is there before it was put', async () => {
    expect(await store.get(['a'], 'k')).toBeNull()
    await store.put(['a'], 'k', { x: 1 })
    await store.put(['a'], 'other', { x: 1 })
    await store.delete(['a'], 'k')
    expect(await store.get(['a'], 'k')).toBeNull()
    expect(await store.get(['a'], 'other')).not.toBeNull()
  })

  it('is found under names with any characters, apart from all others', async () => {
    const names = ['a/b', 'a', 'a%2Fb', '%', '/', 'ü😀', '-', '0', 'toString']
    for (const label of names) for (const key of ['', ...names]) await store.put([label], key, { label, key })
    for (const label of names) {
      for (const key of ['', ...names])
        expect(await store.get([label], key)).toMatchObject({ namespace: [label], key, value: { label, key } })
      expect(await store.search([label], { limit: 100 })).toHaveLength(names.length + 1)
    }
    expect(await store.listNamespaces()).toHaveLength(names.length)
  })

  it('that JSON does not have is refused, and nothing of its batch is stored', async () => {
    const batch = store.batch([
      { namespace: ['a'], key: 'good', value: { x: 1 } },
      { namespace: ['a'], key: 'bad', value: { x: new Map() } },
    ])
    await expect(batch).rejects.toMatchObject({ name: 'InvalidInput' })
    await expect(store.batch([{ namespace: ['a', ''], key: 'k', value: {} }])).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('label 1'),
    })
    expect(await store.search([])).toEqual([])
  })
})

it('reads in a batch what was stored before it, and stores of several items with one key the last', async () => {
  await store.put(['a'], 'k', { x: 1 })
  const results: unknown[] = await store.batch([
    { namespace: ['a'], key: 'k' },
    { namespace: ['a'], key: 'k', value: { x: 2 } },
    { namespace: ['a'], key: 'k', value: { x: 3 } },
    { namespace: ['b'], key: 'k', value: { x: 4 } },
    { namespacePrefix: ['a'] },
    { matchConditions: [], limit: 10, offset: 0 },
  ])
  expect(results).toMatchObject([{ value: { x: 1 } }, undefined, undefined, undefined, [{ value: { x: 1 } }], [['a']]])
  expect([(await store.get(['a'], 'k'))!.value, (await store.get(['b'], 'k'))!.value]).toEqual([{ x: 3 }, { x: 4 }])
})

it('finds and lists what the store in memory does, by any filter, prefix, suffix and depth', async () => {
  const memory = new InMemoryStore()
  const namespaces = [['docs'], ['docs', 'a'], ['docs', 'a', 'v1'], ['docs', 'b', 'v1'], ['docsx'], ['users', 'v1']]
  for (const [i, namespace] of namespaces.entries())
    for (const key of ['x', 'y'])
      for (const one of [store, memory])
        await one.put(namespace, key, { n: i, kind: key, tags: [key], deep: { i }, ...(i > 3 && { extra: null }) })
  const filters: (Record<string, unknown> | undefined)[] = [
    undefined,
    {},
    { n: 2 },
    { n: { $gt: 1, $lte: 3 }, kind: 'x' },
    { n: { $gte: 4 } },
    { n: { $lt: 1 } },
    { n: { $ne: 2 } },
    { n: { $eq: 2 } },
    { kind: { $in: ['y', 'z'] } },
    { kind: { $nin: ['y'] } },
    { kind: { $in: 'y' } },
    { extra: null },
    { missing: undefined },
    { missing: 1 },
    { toString: 1 },
  ]
  for (const prefix of [[], ['docs'], ['docs', 'a'], ['nobody']])
    for (const filter of filters) {
      const options = { limit: 100, ...(filter && { filter }) }
      const placesOf = async (one: BaseStore) =>
        (await one.search(prefix, options)).map(({ namespace, key }) => [...namespace, key].join(' ')).sort()
      expect(await placesOf(store)).toEqual(await placesOf(memory))
    }
  for (const options of [
    {},
    { prefix: ['docs'] },
    { prefix: ['docs', '*', 'v1'] },
    { prefix: ['*', 'a'] },
    { suffix: ['v1'] },
    { suffix: ['a', '*'] },
    { prefix: ['docs'], suffix: ['v1'] },
    { maxDepth: 1 },
    { maxDepth: 2, prefix: ['docs'] },
    { suffix: ['too', 'many', 'labels', 'here'] },
  ])
    expect((await store.listNamespaces(options)).sort()).toEqual((await memory.listNamespaces(options)).sort())
})

it('finds values by content, where the store in memory compares references', async () => {
  await store.put(['a'], 'k', { tags: ['x'], at: new Date(7) })
  for (const filter of [{ tags: ['x'] }, { at: new Date(7) }, { tags: { $in: [['x']] } }])
    expect(await store.search(['a'], { filter })).toHaveLength(1)
  expect(await store.search(['a'], { filter: { tags: ['y'] } })).toEqual([])
})

it('gives ten items if no limit is asked for, and pages in the order of keys', async () => {
  for (let i = 100; i < 125; i++) await store.put(['a'], String(i), { even: i % 2 === 0 })
  const keysOf = async (options: Parameters<BaseStore['search']>[1]) =>
    (await store.search(['a'], options)).map(({ key }) => Number(key))
  expect(await keysOf({})).toEqual([100, 101, 102, 103, 104, 105, 106, 107, 108, 109])
  expect(await keysOf({ limit: 3, offset: 23 })).toEqual([123, 124])
  expect(await keysOf({ filter: { even: true }, limit: 2, offset: 3 })).toEqual([106, 108])
  expect(await keysOf({ limit: 0 })).toEqual([])
})

it('lists namespaces without reading all items of them', async () => {
  for (const namespace of ['a', 'b', 'c'])
    await store.batch(Array.from({ length: 300 }, (_, i) => ({ namespace: [namespace], key: String(i), value: { i } })))
  let ranges = 0
  const client = clients[0]!
  const counting = createLangGraphStore(
    {
      collection: (name) => {
        const inner = client.collection(name)
        return { ...inner, range: (range) => (ranges++, inner.range(range)) }
      },
    },
    { BaseStore },
  )
  expect(await counting.listNamespaces()).toEqual([['a'], ['b'], ['c']])
  expect(ranges).toBeLessThanOrEqual(4)
  expect(await counting.listNamespaces({ limit: 1, offset: 1 })).toEqual([['b']])
})
