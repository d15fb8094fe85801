import { expect } from 'vitest'
import type { RowRange } from '../../contract/store/collections.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { allRows, drop, put } from '../collection-rows.ts'
import { errorNameOf, refuses } from '../helpers.ts'
import { type Laws, lawsForEach } from '../law.ts'

const keysOf = async (store: SessionStore, range?: RowRange): Promise<string[]> =>
  (await allRows(store, range)).map(([key]) => key)

const badOps: readonly (readonly [string, unknown])[] = [
  ['a type that does not exist', { type: 'set', key: 'k', value: 1 }],
  ['an empty key', put('', 1)],
  ['a key that is no string', { type: 'put', key: 5, value: 1 }],
  ['a key of 1,025 characters', put('k'.repeat(1025), 1)],
  ['a key with half of a surrogate pair', put('k\ud800', 1)],
  ['a value that is missing', { type: 'put', key: 'k' }],
  ['a Date', put('k', { at: new Date(0) })],
  ['a Map', put('k', new Map([[1, 2]]))],
  ['bytes inside of JSON', put('k', { bytes: new Uint8Array(2) })],
  ['NaN', put('k', Number.NaN)],
  ['null in place of an op', null],
]

const badRanges: readonly unknown[] = [
  { limit: 0 },
  { limit: 1001 },
  { limit: 1.5 },
  { prefix: 5 },
  { from: null },
  { after: {} },
  { reverse: 'yes' },
]

const ordered = ['A', 'B', 'a', 'a\0', 'a0', 'aa', 'ab', 'b', 'é', '🙂', '\uffff', '\uffff!']

const reading: Laws = {
  'L31: orders rows by the code units of their keys': async ({ store }) => {
    await store.writeRows(
      'c',
      ordered.toReversed().map((key) => put(key, key)),
    )
    expect(await keysOf(store)).toEqual(ordered)
    expect(await keysOf(store, { reverse: true })).toEqual(ordered.toReversed())
  },

  ...lawsForEach(
    [
      ['from a key on', { from: 'a0' }, (key: string) => key >= 'a0'],
      ['below a key', { to: 'a0' }, (key: string) => key < 'a0'],
      ['between two keys', { from: 'a', to: 'b' }, (key: string) => key >= 'a' && key < 'b'],
      ['with a prefix', { prefix: 'a' }, (key: string) => key.startsWith('a')],
      ['with a prefix of the last character', { prefix: '\uffff' }, (key: string) => key.startsWith('\uffff')],
      ['with a prefix, from a key on', { prefix: 'a', from: 'aa' }, (key: string) => /^a[ab]/.test(key)],
      ['with a prefix that no key has', { prefix: 'zz' }, () => false],
      ['between two keys in the wrong order', { from: 'b', to: 'a' }, () => false],
    ] as const,
    ([name, range, isMeant]) => [
      `L31: reads the rows ${name}, from both ends and in pages of any size`,
      async ({ store }) => {
        await store.writeRows(
          'c',
          ordered.map((key) => put(key, key)),
        )
        const expected = ordered.filter(isMeant)
        for (const limit of [1, 2, 100]) {
          expect(await keysOf(store, { ...range, limit })).toEqual(expected)
          expect(await keysOf(store, { ...range, limit, reverse: true })).toEqual(expected.toReversed())
        }
      },
    ],
  ),

  'L31: a page has 100 rows unless another number is asked for': async ({ store }) => {
    await store.writeRows(
      'c',
      Array.from({ length: 120 }, (_, i) => put(`k${i}`, i)),
    )
    expect((await store.listRows('c')).rows).toHaveLength(100)
    expect((await store.listRows('c', { limit: 1000 })).next).toBeUndefined()
  },

  'L31: lists collections by name, with their rows and bytes': async ({ store }) => {
    await store.writeRows('two', [put('a', 'é'), put('b', new Uint8Array(10)), put('gone', 1)])
    await store.writeRows('two', [drop('gone')])
    await store.writeRows('one', [put('a', [1])])
    await store.writeRows('none', [put('a', 1), drop('a')])
    expect(await store.listCollections()).toEqual([
      { name: 'one', rows: 1, bytes: 3 },
      { name: 'two', rows: 2, bytes: 14 },
    ])
  },
}

const refusing: Laws = {
  ...lawsForEach(badOps, ([name, op]) => [
    `L14: writeRows refuses ${name}`,
    async ({ store }) => {
      expect(await errorNameOf(() => store.writeRows('c', [op as never]))).toBe('InvalidInput')
      expect(await store.listCollections()).toEqual([])
    },
  ]),

  'L14: says where a row holds what JSON would lose': async ({ store }) => {
    await expect(store.writeRows('c', [put('a', 1), put('b', { at: [new Date(0)] })])).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('ops[1].value.at[0] is of type Date'),
    })
  },

  'L14: refuses names of collections that it could not store': async ({ store }) => {
    for (const name of ['', 5, null, undefined, {}, 'n'.repeat(257), 'n\udc00'])
      for (const call of [
        () => store.getRows(name as never, ['a']),
        () => store.listRows(name as never),
        () => store.writeRows(name as never, [put('a', 1)]),
      ])
        expect(await errorNameOf(call)).toBe('InvalidInput')
  },

  'L14: refuses lists of keys, ops and ranges that make no sense': async ({ store }) => {
    for (const keys of ['a', undefined, [5], [''], [null]])
      expect(await errorNameOf(() => store.getRows('c', keys as never))).toBe('InvalidInput')
    for (const ops of ['a', undefined, {}])
      expect(await errorNameOf(() => store.writeRows('c', ops as never))).toBe('InvalidInput')
    for (const range of badRanges)
      expect([range, await errorNameOf(() => store.listRows('c', range as never))]).toEqual([range, 'InvalidInput'])
  },

  'L14: refuses more ops than one call may have, and bytes over the limit': async ({ store }) => {
    const many = Array.from({ length: 4097 }, (_, i) => drop(`k${i}`))
    await refuses(store.writeRows('c', many), 'TooLarge')
    await refuses(store.writeRows('c', [put('a', new Uint8Array(8 * 1024 * 1024 + 1))]), 'TooLarge')
    expect(await store.listCollections()).toEqual([])
  },
}

export const rowRangeLaws: Laws = { ...reading, ...refusing }
