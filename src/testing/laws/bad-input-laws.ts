import { expect } from 'vitest'
import { controlTypes } from '../../contract/entry.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { calls, keyedMethods, setScene } from '../calls.ts'
import { entryOf, errorNameOf, history, say, stateOf, user } from '../helpers.ts'
import { type Laws, lawsForEach } from '../law.ts'

const when = new Date(0) as never

const dated: readonly (readonly [string, string, (store: SessionStore) => Promise<unknown>])[] = [
  [
    'a message',
    'message.parts[1].at',
    (store) => store.addFullMessage('s', { role: 'user', content: 'x', parts: [0, { at: when }] } as never),
  ],
  ['an entry', 'data.at', (store) => store.append('s', [{ type: 'custom', data: { at: when } }])],
  ['metadata', 'custom.at', (store) => store.updateMeta('s', { custom: { at: when } })],
  ['a memo', 'memo.at', (store) => store.updateMeta('s', { memo: { at: when } })],
  ['a checkpoint', 'state.at', (store) => store.checkpoint('s', { state: { at: when } })],
  [
    'a compaction',
    'details.at',
    (store) => store.setCompaction('s', { summary: 'x', keepLast: 0, details: { at: when } } as never),
  ],
  [
    'a piece of a draft',
    'at',
    async (store) =>
      store.writeDraft('s', (await store.listDrafts('s'))[0]!.id, 9, { part: { type: 'x', at: when } } as never),
  ],
  ['a scope', 'at', (store) => store.ensureSessionMetadata('s', { values: { at: when } } as never)],
]

const badEntries: readonly (readonly [string, unknown])[] = [
  ['a value that is not a list', { type: 'message', message: user('x') }],
  ['a string', 'x'],
  ['nothing', undefined],
  ['an empty list', []],
  ['a list with null', [null]],
  ['an entry without a type', [{ message: user('x') }]],
  ['an entry of an empty type', [{ type: '', data: {} }]],
  ['data that is not an object', [{ type: 'custom', data: [1] }]],
  ['data with NaN', [{ type: 'custom', data: { n: Number.NaN } }]],
  ['an invalid time', [entryOf(user('x'), { at: Number.NaN })]],
  ['a time that is a string', [{ ...entryOf(user('x')), at: '2026-01-01' }]],
  ['an empty host id', [entryOf(user('x'), { mid: '' })]],
  ['a host id that is not a string', [{ ...entryOf(user('x')), mid: 5 }]],
]

export const badInputLaws: Laws = {
  ...lawsForEach(dated, ([name, path, write]) => [
    `L14: refuses a Date in ${name}, and says where it is`,
    async ({ store }) => {
      await setScene(store, 's')
      const before = await stateOf(store)
      await expect(write(store)).rejects.toMatchObject({
        name: 'InvalidInput',
        message: expect.stringContaining(`${path} is of type Date`),
      })
      expect(await stateOf(store)).toEqual(before)
    },
  ]),

  ...lawsForEach(keyedMethods, (method) => [
    `L14: ${method} refuses invalid keys`,
    async ({ store }) => {
      const scene = await setScene(store, 's')
      const keys = [
        '',
        ...(method === 'verify' || method === 'repair' || method === 'usage' ? [] : [undefined]),
        null,
        5,
        {},
        ['s'],
      ]
      const names = []
      for (const key of keys) names.push(await errorNameOf(() => calls[method](store, key as string, scene)))
      expect(names).toEqual(keys.map(() => 'InvalidInput'))
      expect(await store.usage()).toMatchObject({ sessions: 1 })
    },
  ]),

  ...lawsForEach(controlTypes, (type) => [
    `L14: refuses to append an entry of type ${type}, which has a method of its own`,
    async ({ store }) => {
      await say(store, 's', ['a'])
      expect(await errorNameOf(() => store.append('s', [{ type, data: {} }]))).toBe('InvalidInput')
      expect(await history(store, 's')).toEqual(['a'])
    },
  ]),

  ...lawsForEach(badEntries, ([name, entries]) => [
    `L14: append refuses ${name}`,
    async ({ store }) => {
      await setScene(store, 's')
      const before = await stateOf(store)
      expect(await errorNameOf(() => store.append('s', entries as never))).toBe('InvalidInput')
      expect(await stateOf(store)).toEqual(before)
    },
  ]),

  'L14: append refuses options that make no sense': async ({ store }) => {
    await setScene(store, 's')
    const before = await stateOf(store)
    for (const options of [
      { branch: 'nowhere' },
      { branch: 5 },
      { durability: 'forever' },
      { onConflict: 'merge', parent: '' },
    ]) {
      expect([options, await errorNameOf(() => say(store, 's', ['x'], options as never))]).toEqual([
        options,
        'InvalidInput',
      ])
    }
    expect(await stateOf(store)).toEqual(before)
  },

  'L14: merge refuses a durability that does not exist': async ({ store }) => {
    expect(await errorNameOf(() => store.merge('s', [], { durability: 'forever' } as never))).toBe('InvalidInput')
  },

  'L14: findByMid refuses a value that is not a list of ids': async ({ store }) => {
    await setScene(store, 's')
    for (const mids of ['m1', undefined, null, [5], [null]])
      expect(await errorNameOf(() => store.findByMid('s', mids as never))).toBe('InvalidInput')
  },
}
