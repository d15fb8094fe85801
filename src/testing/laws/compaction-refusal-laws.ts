import { expect } from 'vitest'
import type { EntryReceipt } from '../../contract/entry.ts'
import { contextFingerprint } from '../../domain/context-fingerprint.ts'
import { everything, history, numbered, refuses, say, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

/** Which compactions are refused. */
export const compactionRefusalLaws: Laws = {
  'L10: refuses a compaction that expects to replace another one than the active': async ({ store }) => {
    await say(store, 's', numbered(4))
    await refuses(store.setCompaction('s', { summary: 'x', keepLast: 1, replaces: 'a.0' }), 'ParentMoved')
    const { id } = await store.setCompaction('s', { summary: 'one', keepLast: 2, replaces: null })
    await refuses(store.setCompaction('s', { summary: 'two', keepLast: 1, replaces: null }), 'ParentMoved')
    await store.setCompaction('s', { summary: 'three', keepLast: 1, replaces: id })
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([['m3'], 'three'])
  },

  'L10: refuses a compaction when the messages it was made from have changed since': needs(
    ['oneHistory'],
    async ({ store }) => {
      const changes: readonly ((entries: readonly EntryReceipt[]) => Promise<unknown>)[] = [
        () => store.truncateHistory('s', 3),
        (entries) => store.remove('s', entries[1]!),
        (entries) => store.edit('s', entries[0]!, user('edited')),
        () => store.setSummary('s', 'other'),
        () => store.purge('s'),
      ]
      for (const change of changes) {
        await store.purge('s')
        const entries = await say(store, 's', numbered(4))
        const before = entries.slice(0, 2)
        const covers = Object.fromEntries(
          before.map(({ id }) => [id.split('.')[0]!, Number.parseInt(id.split('.')[1]!, 36) + 1]),
        )
        const compaction = {
          summary: 'S',
          firstKept: entries[2]!,
          covers,
          fingerprint: contextFingerprint({ summary: '' }, before),
        }
        await change(entries)
        await refuses(store.setCompaction('s', compaction), 'ParentMoved')
      }
      const entries = await say(store, 's', numbered(4))
      const compaction = {
        summary: 'S',
        firstKept: entries[2]!,
        fingerprint: contextFingerprint({ summary: '' }, entries.slice(0, 2)),
      }
      await say(store, 's', ['next'])
      await store.remove('s', entries[3]!)
      await store.setCompaction('s', compaction)
      expect([await history(store, 's'), await store.getSummary('s')]).toEqual([['m2', 'next'], 'S'])
    },
  ),

  'L14: refuses compactions that make no sense': async ({ store }) => {
    await say(store, 's', numbered(4))
    const before = await everything(store, 's')
    const bad = [
      undefined,
      null,
      {},
      { summary: 5, keepLast: 1 },
      { keepLast: 1 },
      { summary: 's', keepLast: Number.NaN },
      { summary: 's', keepLast: 1.5 },
      { summary: 's', firstKept: { mid: 'none' } },
      { summary: 's', firstKept: { branch: '', order: '0'.repeat(20) } },
      { summary: 's', keepLast: 1, details: 'text' },
      { summary: 's', keepLast: 1, tokensBefore: Number.NaN },
      { summary: 's', keepLast: 1, branch: 'none' },
      { summary: 's', keepLast: 1, covers: { a: -1 } },
      { summary: 's', keepLast: 1, replaces: '' },
      { summary: 's', keepLast: 1, messages: [{ content: 'no role' }] },
    ]
    for (const compaction of bad) await refuses(store.setCompaction('s', compaction as never), 'InvalidInput')
    expect(await everything(store, 's')).toEqual(before)
  },
}
