import { expect } from 'vitest'
import {
  allChanges,
  assistant,
  entryOf,
  everything,
  history,
  numbered,
  readAll,
  refuses,
  say,
  transcript,
  user,
} from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'

export const cutLaws: Laws = {
  'L10: forgets all but the last messages': async ({ store }) => {
    await say(store, 's', numbered(10))
    await store.truncateHistory('s', 3)
    expect([await history(store, 's'), await transcript(store, 's')]).toEqual([
      ['m7', 'm8', 'm9'],
      ['m7', 'm8', 'm9'],
    ])
    expect((await store.getMeta('s'))?.messageCount).toBe(3)
    await say(store, 's', ['next'])
    expect(await history(store, 's')).toEqual(['m7', 'm8', 'm9', 'next'])
  },

  'L10: counts messages, whatever turns they belong to and whatever is between them': async ({ store }) => {
    await store.append('s', [
      entryOf(user('q1')),
      entryOf(assistant('a1')),
      { type: 'model_change', data: {} },
      entryOf(user('q2')),
      entryOf(assistant('a2')),
      entryOf(assistant('a3')),
    ])
    await store.truncateHistory('s', 4)
    expect(await history(store, 's')).toEqual(['a1', 'q2', 'a2', 'a3'])
    await store.truncateHistory('s', 2)
    expect(await history(store, 's')).toEqual(['a2', 'a3'])
  },

  ...lawsForEach([0, -5], (keepLast) => [
    `L10: forgets all messages when ${keepLast} are to stay`,
    async ({ store }) => {
      await say(store, 's', numbered(5))
      await store.truncateHistory('s', keepLast)
      expect([await history(store, 's'), await transcript(store, 's')]).toEqual([[], []])
      expect(await store.getMeta('s')).toMatchObject({ messageCount: 0, tokenEstimate: 0 })
      await say(store, 's', ['next'])
      expect(await history(store, 's')).toEqual(['next'])
    },
  ]),

  'L10: changes nothing when as many or more are to stay': async ({ store }) => {
    await say(store, 's', numbered(5))
    const before = await everything(store, 's')
    await store.truncateHistory('s', 5)
    await store.truncateHistory('s', 1_000)
    expect(await everything(store, 's')).toEqual(before)
  },

  'L10: hides, and keeps in the log': async ({ store }) => {
    await say(store, 's', numbered(10))
    await store.truncateHistory('s', 3)
    expect(await transcript(store, 's', { view: 'raw' })).toEqual(numbered(10))
    expect((await allChanges(store, 's')).filter(({ type }) => type === 'message').length).toBe(10)
  },

  'L10: hides with its call the result that comes after the cut, and shows what is said next': async ({ store }) => {
    await store.append('s', [
      entryOf(user('q')),
      entryOf({
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      }),
    ])
    await store.truncateHistory('s', 0)
    await store.append('s', [entryOf({ role: 'tool', tool_call_id: 'c', content: 'result' })])
    expect([await history(store, 's'), await transcript(store, 's')]).toEqual([[], []])
    await store.append('s', [entryOf(assistant('done'))])
    expect([await history(store, 's'), await transcript(store, 's')]).toEqual([['done'], ['done']])
  },

  'L10: leaves the summary alone': async ({ store }) => {
    await say(store, 's', numbered(5))
    await store.setSummary('s', 'what was')
    await store.truncateHistory('s', 0)
    expect(await store.getSummary('s')).toBe('what was')
  },

  'L10: cuts one line and leaves the others': async ({ store }) => {
    const main = await say(store, 's', numbered(6))
    const branch = await store.openBranch('s', { after: main[3]! })
    await say(store, 's', ['side'])
    await store.truncateHistory('s', 1)
    expect(await transcript(store, 's', { branch: branch.id })).toEqual(['side'])
    expect(await transcript(store, 's', { branch: '' })).toEqual(numbered(6))
  },

  'L10: compact erases what no line shows, and says how much': async ({ store }) => {
    await say(store, 's', numbered(10, `${'long '.repeat(50)}m`))
    await store.truncateHistory('s', 4)
    const before = await transcript(store, 's')
    const usage = await store.usage('s')
    expect(await store.reclaim('s')).toBe(6)
    expect(await transcript(store, 's')).toEqual(before)
    expect(await transcript(store, 's', { view: 'raw' })).toEqual(before)
    expect((await allChanges(store, 's')).filter(({ type }) => type === 'message').length).toBe(4)
    const left = await store.usage('s')
    expect(left.entryBytes).toBeLessThan(usage.entryBytes)
    expect(left.entries).toBe((await store.verify('s')).entries)
    expect(await store.getMeta('s')).toMatchObject({ messageCount: 4 })
    expect(await store.reclaim('s')).toBe(0)
  },

  'L10: compact erases removed messages too': async ({ store }) => {
    const entries = await say(store, 's', numbered(5))
    await store.remove('s', entries[2]!)
    // With what says that it was removed.
    expect(await store.reclaim('s')).toBe(2)
    expect(await transcript(store, 's', { view: 'raw' })).toEqual(['m0', 'm1', 'm3', 'm4'])
  },

  'L10: compact keeps what another line or a checkpoint shows': needs(['oneHistory'], async ({ store }) => {
    const main = await say(store, 's', numbered(6))
    await store.openBranch('s', { after: main[2]!, head: false })
    await store.truncateHistory('s', 0)
    expect(await store.reclaim('s')).toBe(3)
    await say(store, 't', numbered(6))
    const checkpoint = await store.checkpoint('t')
    await store.truncateHistory('t', 0)
    expect(await store.reclaim('t')).toBe(0)
    // The checkpoint goes with them.
    await store.deleteCheckpoint('t', checkpoint.id)
    expect(await store.reclaim('t')).toBe(7)
  }),

  'L10: compact erases the entries of a deleted branch': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const branch = await store.openBranch('s', { after: first!, head: false })
    await say(store, 's', ['c', 'd'], { branch: branch.id })
    expect(await store.reclaim('s')).toBe(0)
    await store.deleteBranch('s', branch.id)
    expect(await store.reclaim('s')).toBe(2)
    expect(await transcript(store, 's')).toEqual(['a', 'b'])
  },

  'L10: compact keeps what only a compaction hides': async ({ store }) => {
    await say(store, 's', numbered(6))
    await store.setCompaction('s', { summary: 'short', keepLast: 1 })
    expect(await store.reclaim('s')).toBe(0)
    expect(await transcript(store, 's')).toEqual(numbered(6))
  },

  'L10: continues a long session after compacting': needs(['newestOnly'], async ({ store }) => {
    await say(store, 's', numbered(300))
    await store.truncateHistory('s', 10)
    expect(await store.reclaim('s')).toBe(290)
    await say(store, 's', numbered(100, 'n'))
    expect(await transcript(store, 's')).toEqual([...numbered(300).slice(-10), ...numbered(100, 'n')])
    expect((await readAll(store, 's', { view: 'raw' })).length).toBe(110)
    expect((await store.verify('s')).problems).toEqual([])
  }),

  'L14: refuses to keep a count that is not a number': async ({ store }) => {
    await say(store, 's', numbered(3))
    for (const keepLast of [Number.NaN, '2', undefined, null])
      await refuses(store.truncateHistory('s', keepLast as number), 'InvalidInput')
    expect(await history(store, 's')).toEqual(numbered(3))
  },
}
