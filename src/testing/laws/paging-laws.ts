import { expect } from 'vitest'
import type { EntryView } from '../../contract/entry.ts'
import type { ReadOptions } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { pushAll } from '../../domain/push-all.ts'
import { assistant, entryOf, numbered, readAll, refuses, say, textOf, transcript, user } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'

/** Every entry of a view, from its end to its start. */
async function readBackwards(
  store: SessionStore,
  key: string,
  limit: number,
  options: ReadOptions = {},
): Promise<readonly EntryView[]> {
  let page = await store.read(key, { ...options, last: limit })
  let found = page.entries
  while (page.more) {
    page = await store.read(key, { ...options, before: found[0]!.order, limit })
    if (page.entries.length === 0) throw new Error('A page says that there is more, but gives nothing.')
    found = [...page.entries, ...found]
  }
  return found
}

const textsOf = (entries: readonly EntryView[]): string[] => entries.map(({ message }) => textOf(message))

const twoAtOnce: readonly ReadOptions[] = [
  { last: 1, before: 'x' },
  { last: 1, after: '' },
  { before: 'x', after: '' },
]

const badReads: readonly (readonly [string, object])[] = [
  ['a limit of 0', { limit: 0 }],
  ['a limit below 0', { limit: -1 }],
  ['half a limit', { limit: 1.5 }],
  ['a limit over 4,096', { limit: 4_097 }],
  ['a limit that is not a number', { limit: '5' }],
  ['NaN as last', { last: Number.NaN }],
  ['a last of 0', { last: 0 }],
  ['an order that is not a string', { after: 5 }],
  ['an unknown view', { view: 'everything' }],
  ['an unknown branch', { branch: 'nowhere' }],
  ['a count that is not a boolean', { own: 'yes' }],
]

export const pagingLaws: Laws = {
  'L16: gives the last page by default, 50 entries long': needs(['newestOnly'], async ({ store }) => {
    await say(store, 's', numbered(120))
    const page = await store.read('s')
    expect(page.more).toBe(true)
    expect(textsOf(page.entries)).toEqual(numbered(120).slice(-50))
    expect(await store.read('s', { last: 50 })).toEqual(page)
  }),

  'L16: says which line and how much it read': async ({ store }) => {
    const [, second] = await say(store, 's', numbered(5))
    const page = await store.read('s', { last: 2 })
    expect(page).toMatchObject({ branch: '', more: true, skipped: 0 })
    expect(textsOf(page.entries)).toEqual(['m3', 'm4'])
    const branch = await store.openBranch('s', { after: second! })
    expect(await store.read('s', { last: 10 })).toMatchObject({ branch: branch.id, more: false, skipped: 0 })
  },

  'L16: reads before and after an entry without giving it': async ({ store }) => {
    const entries = await say(store, 's', numbered(9))
    const at = entries[4]!.order
    const before = await store.read('s', { before: at, limit: 2 })
    const after = await store.read('s', { after: at, limit: 2 })
    expect([textsOf(before.entries), before.more]).toEqual([['m2', 'm3'], true])
    expect([textsOf(after.entries), after.more]).toEqual([['m5', 'm6'], true])
    expect(await store.read('s', { before: entries[0]!.order })).toMatchObject({ entries: [], more: false })
    expect(await store.read('s', { after: entries[8]!.order })).toMatchObject({ entries: [], more: false })
    expect((await store.read('s', { after: at, limit: 4 })).more).toBe(false)
    expect((await store.read('s', { before: at, limit: 4 })).more).toBe(false)
  },

  ...lawsForEach([3, 64, 65, 1_000], (limit) => [
    `L16: pages of ${limit} make up the whole in both directions`,
    needs(['newestOnly'], async ({ store }) => {
      await say(store, 's', numbered(100))
      for (let i = 100; i < 130; i++)
        await store.append('s', [entryOf(i % 2 === 0 ? user(`m${i}`) : assistant(`m${i}`))])
      await say(
        store,
        's',
        Array.from({ length: 70 }, (_, i) => `m${130 + i}`),
      )
      expect(await transcript(store, 's', { limit })).toEqual(numbered(200))
      expect(textsOf(await readBackwards(store, 's', limit))).toEqual(numbered(200))
    }),
  ]),

  'L16: pages fit together on a line with branches, cuts, removals and a compaction': needs(
    ['newestOnly'],
    async ({ store }) => {
      const main = await say(store, 's', numbered(90))
      for (const i of [3, 40, 41, 42, 70]) await store.remove('s', main[i]!)
      await store.openBranch('s', { after: main[60]! })
      const side = await say(store, 's', numbered(80, 'a'))
      await store.truncateHistory('s', 100)
      await store.openBranch('s', { after: side[75]! })
      await say(store, 's', numbered(70, 'b'))
      await store.setCompaction('s', { summary: 's', keepLast: 90 })
      await store.remove('s', side[74]!)
      for (const branch of (await store.listBranches('s')).map(({ id }) => id)) {
        for (const view of ['raw', 'transcript', 'context'] as const) {
          const whole = await readAll(store, 's', { branch, view, limit: 4_096 })
          expect(whole.map(({ order }) => order)).toEqual(whole.map(({ order }) => order).sort())
          for (const limit of [7, 64]) {
            expect(await readAll(store, 's', { branch, view, limit })).toEqual(whole)
            expect(await readBackwards(store, 's', limit, { branch, view })).toEqual(whole)
          }
        }
      }
    },
  ),

  'L16: neither skips nor repeats what stays, when entries come in between': async ({ store }) => {
    await say(store, 's', numbered(20))
    const found: string[] = []
    let after = ''
    for (let i = 0; ; i++) {
      const page = await store.read('s', { after, limit: 6 })
      pushAll(found, textsOf(page.entries))
      if (!page.more) break
      after = page.entries.at(-1)!.order
      if (i < 2) await say(store, 's', [`new${i}`])
    }
    expect(found).toEqual([...numbered(20), 'new0', 'new1'])
  },

  'L16: continues from an entry that was removed in the meantime': async ({ store }) => {
    const entries = await say(store, 's', numbered(10))
    await store.remove('s', entries[4]!)
    expect(textsOf((await store.read('s', { after: entries[4]!.order })).entries)).toEqual([
      'm5',
      'm6',
      'm7',
      'm8',
      'm9',
    ])
    expect(textsOf((await store.read('s', { before: entries[4]!.order })).entries)).toEqual(['m0', 'm1', 'm2', 'm3'])
  },

  'L16: shows removed and cut entries in the raw view only': async ({ store }) => {
    const entries = await say(store, 's', numbered(6))
    await store.remove('s', entries[4]!)
    await store.truncateHistory('s', 3)
    expect(await transcript(store, 's')).toEqual(['m2', 'm3', 'm5'])
    expect(await transcript(store, 's', { view: 'raw' })).toEqual(numbered(6))
  },

  ...lawsForEach(twoAtOnce, (options) => [
    `L14: refuses to read with ${Object.keys(options).join(' and ')}`,
    ({ store }) => refuses(store.read('s', options), 'InvalidInput'),
  ]),

  ...lawsForEach(badReads, ([name, options]) => [
    `L14: refuses to read with ${name}`,
    async ({ store }) => {
      await say(store, 's', ['a'])
      await refuses(store.read('s', options as ReadOptions), 'InvalidInput')
    },
  ]),
}
