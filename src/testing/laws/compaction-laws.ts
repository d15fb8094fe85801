import { expect } from 'vitest'
import type { ReadOptions } from '../../contract/store/session-log.ts'
import { allChanges, entryOf, history, numbered, readAll, say, textOf, transcript, user } from '../helpers.ts'
import type { Laws } from '../law.ts'

export const compactionLaws: Laws = {
  'L10: a compaction hides from the model, not from a person': async ({ store }) => {
    await say(store, 's', numbered(10))
    const receipt = await store.setCompaction('s', {
      summary: 'what was said',
      keepLast: 3,
      tokensBefore: 100,
      tokensAfter: 10,
      details: { by: 'test' },
    })
    expect(await history(store, 's')).toEqual(['m7', 'm8', 'm9'])
    expect((await readAll(store, 's', { view: 'context' })).map(({ message }) => textOf(message))).toEqual([
      'm7',
      'm8',
      'm9',
    ])
    expect(await transcript(store, 's')).toEqual(numbered(10))
    expect(await store.getSummary('s')).toBe('what was said')
    expect(await store.getMeta('s')).toMatchObject({ summary: 'what was said', messageCount: 10 })
    const entry = (await allChanges(store, 's')).find(({ type }) => type === 'compaction')
    expect(entry).toMatchObject({
      order: receipt.order,
      branch: receipt.branch,
      data: { summary: 'what was said', tokensBefore: 100, tokensAfter: 10, details: { by: 'test' } },
    })
  },

  'L10: a compaction keeps from a given entry on': async ({ store }) => {
    const entries = await say(store, 's', numbered(6))
    await store.setCompaction('s', { summary: 'one', firstKept: entries[2]! })
    expect(await history(store, 's')).toEqual(['m2', 'm3', 'm4', 'm5'])
    await store.append('s', [entryOf(user('last'), { mid: 'host' })])
    await store.setCompaction('s', { summary: 'two', firstKept: { mid: 'host' } })
    expect(await history(store, 's')).toEqual(['last'])
  },

  'L10: a compaction with nothing to keep hides all there is': async ({ store }) => {
    await say(store, 's', numbered(4))
    await store.setCompaction('s', { summary: 'all', keepLast: 0 })
    expect(await history(store, 's')).toEqual([])
    await say(store, 's', ['next'])
    expect(await history(store, 's')).toEqual(['next'])
  },

  'L10: clearing a line takes its summary away from the model, but not from other lines': async ({ store }) => {
    const entries = await say(store, 's', numbered(6))
    await store.setCompaction('s', { summary: 'secret', keepLast: 2, messages: [user('kept')] })
    await store.openBranch('s', { after: entries.at(-1)! })
    const hidden = async (on: ReadOptions = {}) => (await store.read('s', { ...on, view: 'context' })).hidden
    expect(await hidden()).toMatchObject({ summary: 'secret' })
    await store.clear('s')
    expect([await hidden(), await store.getSummary('s')]).toEqual([{ summary: '' }, ''])
    expect(await hidden({ branch: '' })).toMatchObject({ summary: 'secret', messages: [user('kept')] })
    await say(store, 's', ['next'])
    await store.setCompaction('s', { summary: 'new', keepLast: 0 })
    expect(await store.getSummary('s')).toBe('new')
  },

  'L10: clearing a line takes away a summary that was set, also where no message is left': async ({ store }) => {
    await say(store, 's', numbered(2))
    await store.setSummary('s', 'secret')
    await store.truncateHistory('s', 0)
    expect(await store.getSummary('s')).toBe('secret')
    await store.clear('s')
    expect(await store.getSummary('s')).toBe('')
    await store.setSummary('s', 'new')
    expect(await store.getSummary('s')).toBe('new')
  },

  'L10: a summary of what was cleared on another device meanwhile is not shown': async ({ store, openElsewhere }) => {
    await say(store, 's', numbered(4))
    const other = await openElsewhere()
    await other.merge('s', await allChanges(store, 's'))
    await store.clear('s')
    await other.setCompaction('s', { summary: 'secret', keepLast: 1 })
    await store.merge('s', await allChanges(other, 's'))
    await other.merge('s', await allChanges(store, 's'))
    for (const one of [store, other]) expect([await one.getSummary('s'), await history(one, 's')]).toEqual(['', []])
  },

  'L10: the latest compaction counts': async ({ store }) => {
    await say(store, 's', numbered(6))
    await store.setCompaction('s', { summary: 'one', keepLast: 1 })
    await store.setCompaction('s', { summary: 'two', keepLast: 0 })
    await say(store, 's', ['next'])
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([['next'], 'two'])
  },

  'L10: the later of a summary and a compaction is the summary': async ({ store }) => {
    await say(store, 's', numbered(4))
    await store.setSummary('s', 'first')
    await store.setCompaction('s', { summary: 'second', keepLast: 1 })
    expect(await store.getSummary('s')).toBe('second')
    await store.setSummary('s', 'third')
    expect(await store.getSummary('s')).toBe('third')
    expect((await store.getMeta('s'))?.summary).toBe('third')
    expect(await history(store, 's')).toEqual(['m3'])
  },

  'L10: estimates the tokens a model would get': async ({ store }) => {
    await say(store, 's', ['a'.repeat(398), 'b'.repeat(198)])
    expect((await store.getMeta('s'))?.tokenEstimate).toBe(150)
    await store.setCompaction('s', { summary: 'short', keepLast: 1 })
    expect((await store.getMeta('s'))?.tokenEstimate).toBe(50)
  },

  'L11: a compaction belongs to its line': async ({ store }) => {
    const main = await say(store, 's', numbered(4))
    await store.openBranch('s', { after: main[3]! })
    await store.setCompaction('s', { summary: 'on the side', keepLast: 1 })
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([['m3'], 'on the side'])
    await store.switchBranch('s', '')
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([numbered(4), ''])
  },

  'L10: reports with a page of the context what replaces the hidden part': async ({ store }) => {
    const hidden = async () => (await store.read('s', { view: 'context' })).hidden
    expect(await hidden()).toEqual({ summary: '' })
    await say(store, 's', numbered(4))
    expect(await hidden()).toEqual({ summary: '' })
    const { id } = await store.setCompaction('s', { summary: 'said', keepLast: 1 })
    expect(await hidden()).toEqual({ summary: 'said', compaction: id })
    await store.setSummary('s', 'better')
    expect(await hidden()).toEqual({ summary: 'better', compaction: id })
    expect((await store.read('s')).hidden).toBeUndefined()
  },

  'L10: a compaction may put messages in front of what it keeps': async ({ store }) => {
    await say(store, 's', numbered(4))
    const messages = [{ role: 'user', content: 'in short', extra: { a: [1] } }]
    await store.setCompaction('s', { summary: '', messages, keepLast: 1 })
    expect([
      (await store.read('s', { view: 'context' })).hidden?.messages,
      await history(store, 's'),
      await transcript(store, 's'),
    ]).toEqual([messages, ['m3'], numbered(4)])
  },

  'L10: what a compaction put in front goes when the history is cut or emptied': async ({ store }) => {
    const front = async () => (await store.read('s', { view: 'context' })).hidden?.messages
    await say(store, 's', numbered(4))
    await store.setCompaction('s', { summary: '', messages: [user('in short')], keepLast: 3 })
    await store.truncateHistory('s', 3)
    expect(await front()).toEqual([user('in short')])
    await store.truncateHistory('s', 2)
    expect(await front()).toBeUndefined()
    await store.setCompaction('s', { summary: '', messages: [user('shorter')], keepLast: 1 })
    expect(await front()).toEqual([user('shorter')])
    await store.setHistory('s', [])
    expect([await front(), await history(store, 's')]).toEqual([undefined, []])
  },

  'L10: a compaction may hide without a summary': async ({ store }) => {
    await say(store, 's', numbered(4))
    await store.setCompaction('s', { summary: '', keepLast: 1 })
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([['m3'], ''])
  },

  'L10: a compaction leaves the entries it was not made from in the context': async ({ store }) => {
    const entries = await say(store, 's', numbered(6))
    const [writer, next] = entries[1]!.id.split('.') as [string, string]
    await store.setCompaction('s', {
      summary: 'two of them',
      firstKept: entries[4]!,
      covers: { [writer]: Number.parseInt(next, 36) + 1 },
    })
    expect(await history(store, 's')).toEqual(['m2', 'm3', 'm4', 'm5'])
    await store.setCompaction('s', { summary: 'the same two', firstKept: entries[4]!, covers: {} })
    expect(await history(store, 's')).toEqual(['m2', 'm3', 'm4', 'm5'])
  },

  'L10: what a compaction hides stays hidden by the next that says what it covers': async ({ store }) => {
    const entries = await say(store, 's', numbered(6))
    await store.setCompaction('s', { summary: 'five', keepLast: 1 })
    await store.setCompaction('s', { summary: 'still five', firstKept: entries[2]!, covers: {} })
    expect(await history(store, 's')).toEqual(['m5'])
    await store.setCompaction('s', { summary: 'two', firstKept: entries[2]! })
    expect(await history(store, 's')).toEqual(['m2', 'm3', 'm4', 'm5'])
  },

  'L10: a compaction keeps its kept part, however far the one before it reaches': async ({ store }) => {
    await say(store, 's', numbered(2))
    await store.setCompaction('s', { summary: 'all', keepLast: 0 })
    const entries = await say(store, 's', ['a', 'b', 'c'])
    const [writer, next] = entries[2]!.id.split('.') as [string, string]
    await store.setCompaction('s', {
      summary: 'with a',
      firstKept: entries[1]!,
      covers: { [writer]: Number.parseInt(next, 36) + 1 },
    })
    expect(await history(store, 's')).toEqual(['b', 'c'])
  },

  'L10: reports how many messages of the head a model would get': async ({ store }) => {
    await say(store, 's', numbered(5))
    const main = await say(store, 's', ['last'])
    await store.setCompaction('s', { summary: 'said', keepLast: 4 })
    expect((await store.read('s', { view: 'context', limit: 1 })).total).toBe(4)
    expect((await store.read('s')).total).toBeUndefined()
    await store.openBranch('s', { after: main[0]! })
    expect((await store.read('s', { view: 'context', branch: '' })).total).toBeUndefined()
  },

  'L10: a summary never covers what is still to come': async ({ store }) => {
    const entries = await say(store, 's', numbered(3))
    const [writer] = entries[0]!.id.split('.') as [string]
    await store.setCompaction('s', { summary: 'all', keepLast: 0, covers: { [writer]: 1_000_000 } })
    await say(store, 's', ['next'])
    expect(await history(store, 's')).toEqual(['next'])
  },

  'L11: a compaction may be for another line than the head': async ({ store }) => {
    const main = await say(store, 's', numbered(4))
    const { id } = await store.openBranch('s', { after: main[3]! })
    await say(store, 's', ['b'])
    await store.setCompaction('s', { summary: 'of main', keepLast: 1, branch: '' })
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([[...numbered(4), 'b'], ''])
    await store.setCompaction('s', { summary: 'of the branch', keepLast: 1, branch: id })
    expect(await history(store, 's')).toEqual(['b'])
    await store.switchBranch('s', '')
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([['m3'], 'of main'])
  },
}
