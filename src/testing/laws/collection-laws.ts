import { expect } from 'vitest'
import { allRows, drop, insert, put } from '../collection-rows.ts'
import { everything, refuses, say } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

const values: readonly unknown[] = [
  null,
  false,
  0,
  -1.5,
  '',
  'text with "quotes", é and 🙂',
  [],
  {},
  { deep: [{ list: [1, 'two', null] }] },
  new Uint8Array(),
  new Uint8Array(70_000).map((_, i) => i % 251),
]

const writing: Laws = {
  'L30: returns every value as it was written': async ({ store }) => {
    const ops = values.map((value, i) => put(`v${i}`, value))
    expect(await store.writeRows('c', ops)).toEqual(values.map(() => true))
    const keys = values.map((_, i) => `v${i}`)
    expect(await store.getRows('c', keys)).toEqual(values)
    expect(await allRows(store)).toEqual(keys.map((key, i) => [key, values[i]] as [string, unknown]).sort())
  },

  'L30: returns values in the order of the keys that were asked for, and nothing for a key without a row': async ({
    store,
  }) => {
    await store.writeRows('c', [put('a', 1), put('b', 2)])
    expect(await store.getRows('c', ['b', 'none', 'a', 'b'])).toEqual([2, undefined, 1, 2])
    expect(await store.getRows('c', [])).toEqual([])
    expect(await store.getRows('other', ['a'])).toEqual([undefined])
  },

  'L30: applies ops in their order, and says of each whether it changed something': async ({ store }) => {
    await store.writeRows('c', [put('old', 1)])
    const ops = [
      insert('old', 2),
      drop('none'),
      insert('a', 1),
      drop('a'),
      insert('a', 2),
      put('b', 1),
      insert('b', 2),
      put('b', 3),
      drop('old'),
      drop('old'),
      insert('old', 4),
    ]
    expect(await store.writeRows('c', ops)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
      false,
      true,
      true,
      false,
      true,
    ])
    expect(await allRows(store)).toEqual([
      ['a', 2],
      ['b', 3],
      ['old', 4],
    ])
  },

  'L30: writes nothing of a call with one bad op': async ({ store }) => {
    await store.writeRows('c', [put('kept', 1)])
    await refuses(store.writeRows('c', [put('kept', 2), drop('kept'), put('bad', Number.NaN)]), 'InvalidInput')
    expect(await allRows(store)).toEqual([['kept', 1]])
  },

  'L30: takes a call without ops': async ({ store }) => {
    expect(await store.writeRows('c', [])).toEqual([])
    expect(await store.listCollections()).toEqual([])
  },

  'L30: of many inserts under one key at once, one is told that it did': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const stores = [store, await openAnother()]
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) => stores[i % 2]!.writeRows('c', [insert('lock', i)])),
      )
      const winners = outcomes.flatMap(([isInserted], i) => (isInserted ? [i] : []))
      expect(winners).toHaveLength(1)
      expect(await stores[1]!.getRows('c', ['lock'])).toEqual(winners)
    },
  ),

  'L1: has the rows when it is opened again': needs(['reopen'], async ({ store, reopen }) => {
    await store.writeRows('c', [put('a', { n: 1 }), put('b', new Uint8Array([1, 2, 3]))], { durability: 'strict' })
    await store.close()
    expect(await (await reopen()).getRows('c', ['a', 'b'])).toEqual([{ n: 1 }, new Uint8Array([1, 2, 3])])
  }),

  'L5: rows do not change with what was given or returned': async ({ store }) => {
    const value = { list: [1] }
    const bytes = new Uint8Array([1, 2])
    const ops = [put('a', value), put('b', bytes)]
    const writing = store.writeRows('c', ops)
    value.list.push(2)
    bytes[0] = 9
    ops.length = 0
    await writing
    const [first, second] = (await store.getRows('c', ['a', 'b'])) as [{ list: number[] }, Uint8Array]
    first.list.push(3)
    second[1] = 9
    expect(await store.getRows('c', ['a', 'b'])).toEqual([{ list: [1] }, new Uint8Array([1, 2])])
  },

  'L8: an operation on rows that is repeated changes nothing and returns the first result': async ({ store }) => {
    const ops = [insert('a', 1), drop('none')]
    const first = await store.writeRows('c', ops, { operationId: 'o' })
    await store.writeRows('c', [put('a', 2)])
    expect([first, await store.writeRows('c', ops, { operationId: 'o' })]).toEqual([
      [true, false],
      [true, false],
    ])
    expect(await store.getRows('c', ['a'])).toEqual([2])
  },

  'L8: refuses an operation on rows with other content': async ({ store }) => {
    await store.writeRows('c', [put('a', 1)], { operationId: 'o' })
    for (const [collection, ops] of [
      ['c', [put('a', 2)]],
      ['c', [insert('a', 1)]],
      ['d', [put('a', 1)]],
    ] as const)
      await refuses(store.writeRows(collection, ops, { operationId: 'o' }), 'OperationConflict')
    expect([await allRows(store), await store.getRows('d', ['a'])]).toEqual([[['a', 1]], [undefined]])
  },

  'L8: remembers the newest 256 operations on rows': async ({ store }) => {
    const write = (i: number): Promise<readonly boolean[]> =>
      store.writeRows('c', [insert(`k${i}`, i)], { operationId: `operation ${i}` })
    for (let i = 0; i < 256; i++) await write(i)
    expect([await write(0), await write(255)]).toEqual([[true], [true]])
  },

  'L22: writes rows for the current term, and refuses any other': async ({ store }) => {
    await store.claimTerm({ after: { term: 0, holder: '', beat: 0 }, next: { term: 7, holder: 'a', beat: 0 } })
    for (const term of [6, 8]) await refuses(store.writeRows('c', [put('a', 1)], { term }), 'NotLeader')
    expect(await allRows(store)).toEqual([])
    expect(await store.writeRows('c', [put('a', 1)], { term: 7 })).toEqual([true])
  },
}

const apart: Laws = {
  'L32: rows are in no list of sessions, and a purge does not reach them': async ({ store }) => {
    await say(store, 's', ['hello'])
    const before = [await everything(store, 's'), await store.listSessions()]
    await store.writeRows('s', [put('s', 'hello')])
    expect([await everything(store, 's'), await store.listSessions()]).toEqual(before)
    await store.purge('s')
    expect(await store.getRows('s', ['s'])).toEqual(['hello'])
  },

  'L32: rows of two collections have nothing to do with each other': async ({ store }) => {
    for (const name of ['a', 'a"', 'a:b', 'b']) await store.writeRows(name, [put('k', name), put(`:${name}`, 1)])
    await store.writeRows('a', [drop('k')])
    expect(await store.getRows('a:b', ['k', ':a:b', ':a'])).toEqual(['a:b', 1, undefined])
    expect((await store.listRows('a')).rows.map(({ key }) => key)).toEqual([':a'])
  },
}

export const collectionLaws: Laws = { ...writing, ...apart }
