import { expect } from 'vitest'
import { allChanges, history, numbered, say, transcript } from '../helpers.ts'
import type { Laws } from '../law.ts'

/** What clearing a line makes of its compaction. */
export const clearedCompactionLaws: Laws = {
  'L10: a line that was cleared has no compaction, and the next one replaces none': async ({ store }) => {
    await say(store, 's', numbered(3))
    await store.setCompaction('s', { summary: 'old', keepLast: 1 })
    await store.clear('s')
    await say(store, 's', ['a', 'b', 'c'])
    const { hidden } = await store.read('s', { view: 'context' })
    expect(hidden).toEqual({ summary: '' })
    await store.setCompaction('s', { summary: 'new', keepLast: 1, replaces: null })
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([['c'], 'new'])
    expect((await store.verify('s')).problems).toEqual([])
  },

  'L10: a compaction of what another store clears meanwhile keeps nothing from a model': async ({
    store,
    openElsewhere,
  }) => {
    await say(store, 's', ['cleared'])
    const other = await openElsewhere()
    await other.merge('s', await allChanges(store, 's'))
    await say(other, 's', ['kept', 'kept too'])
    await other.setCompaction('s', { summary: 'of all', keepLast: 1 })
    await store.clear('s')
    const mine = await allChanges(store, 's')
    await store.merge('s', await allChanges(other, 's'))
    await other.merge('s', mine)
    for (const one of [store, other]) {
      for (const _ of ['before', 'after']) {
        expect(await transcript(one, 's')).toEqual(['kept', 'kept too'])
        expect([await history(one, 's'), await one.getSummary('s')]).toEqual([['kept', 'kept too'], ''])
        expect((await one.read('s', { view: 'context', limit: 1 })).total).toBe(2)
        expect((await one.verify('s')).problems).toEqual([])
        await one.reclaim('s')
      }
    }
  },
}
