import { expect } from 'vitest'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { allChanges, history, say, user } from '../helpers.ts'
import type { Laws } from '../law.ts'

/** All that is stored of a session's log, as one text. */
const stored = async (store: SessionStore): Promise<string> => JSON.stringify(await allChanges(store, 's'))

const isWell = async (store: SessionStore): Promise<void> => expect((await store.verify('s')).problems).toEqual([])

/** What `reclaim` leaves of checkpoints and of summaries. */
export const erasedControlLaws: Laws = {
  'L10: reclaim erases the state of a checkpoint that was deleted, and no other': async ({ store }) => {
    await say(store, 's', ['a', 'b'])
    const { id: kept } = await store.checkpoint('s', { state: { step: 'kept' } })
    const { id } = await store.checkpoint('s', { state: { step: 'secret' }, metadata: { by: 'secret' } })
    expect(await store.reclaim('s')).toBe(0)
    await store.deleteCheckpoint('s', id)
    expect(await store.reclaim('s')).toBe(1)
    expect(await stored(store)).not.toContain('secret')
    expect((await store.listCheckpoints('s')).map((checkpoint) => checkpoint.id)).toEqual([kept])
    expect(await store.restoreCheckpoint('s', kept)).toMatchObject({ state: { step: 'kept' } })
    expect(await store.reclaim('s')).toBe(0)
    await isWell(store)
  },

  'L10: reclaim erases the summary of a line that was cleared': async ({ store }) => {
    await say(store, 's', ['a', 'b', 'c'])
    await store.setCompaction('s', { summary: 'secret', keepLast: 1, messages: [user('secret')] })
    expect(await store.reclaim('s')).toBe(0)
    await store.clear('s')
    expect(await store.reclaim('s')).toBe(4)
    expect(await stored(store)).not.toContain('secret')
    await say(store, 's', ['d'])
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([['d'], ''])
    expect(await store.reclaim('s')).toBe(0)
    await isWell(store)
  },

  'L10: reclaim keeps a summary that another line or a checkpoint still shows': async ({ store }) => {
    const entries = await say(store, 's', ['a', 'b', 'c'])
    await store.setCompaction('s', { summary: 'said', keepLast: 1 })
    const { id } = await store.checkpoint('s')
    const { id: branch } = await store.openBranch('s', { after: entries[2]! })
    await store.clear('s')
    await store.switchBranch('s', '')
    expect(await store.reclaim('s')).toBe(0)
    expect(await store.getSummary('s')).toBe('said')
    await store.clear('s')
    await store.deleteBranch('s', branch)
    expect(await store.reclaim('s')).toBe(0)
    await store.restoreCheckpoint('s', id)
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([['c'], 'said'])
  },

  'L10: reclaim erases the summary of a branch that was deleted': async ({ store }) => {
    const entries = await say(store, 's', ['a', 'b'])
    const { id } = await store.openBranch('s', { after: entries[1]! })
    await say(store, 's', ['c'])
    await store.setCompaction('s', { summary: 'secret', keepLast: 1 })
    await store.deleteBranch('s', id)
    expect(await store.reclaim('s')).toBe(2)
    expect(await stored(store)).not.toContain('secret')
    expect(await history(store, 's')).toEqual(['a', 'b'])
    await isWell(store)
  },

  'L17: another store gets no summary and no state that was erased, and takes none back': async ({
    store,
    openElsewhere,
  }) => {
    await say(store, 's', ['a', 'b'])
    await store.setCompaction('s', { summary: 'secret', keepLast: 1 })
    const { id } = await store.checkpoint('s', { state: { step: 'secret' } })
    const other = await openElsewhere()
    await other.merge('s', await allChanges(store, 's'))
    const before = await allChanges(store, 's')
    await store.clear('s')
    await store.deleteCheckpoint('s', id)
    await store.reclaim('s')
    await store.merge('s', before)
    expect(await stored(store)).not.toContain('secret')
    await other.merge('s', await allChanges(store, 's', await other.getVector('s')))
    expect([await history(other, 's'), await other.getSummary('s'), await other.listCheckpoints('s')]).toEqual([
      [],
      '',
      [],
    ])
    expect(await other.reclaim('s')).toBeGreaterThan(0)
    expect(await stored(other)).not.toContain('secret')
    for (const one of [store, other]) await isWell(one)
  },
}
