import { expect } from 'vitest'
import {
  allChanges,
  assistant,
  entryOf,
  everything,
  history,
  numbered,
  refuses,
  say,
  transcript,
  user,
} from '../helpers.ts'
import type { Laws } from '../law.ts'

export const checkpointLaws: Laws = {
  'L1: saves a position with what belongs to it': async ({ store }) => {
    const entries = await say(store, 's', numbered(3))
    const before = Date.now()
    const checkpoint = await store.checkpoint('s', {
      label: 'before the deploy',
      metadata: { step: 3 },
      state: { plan: ['a'] },
    })
    expect(checkpoint).toMatchObject({
      branch: '',
      order: entries[2]!.order,
      label: 'before the deploy',
      metadata: { step: 3 },
    })
    expect(checkpoint.createdAt).toBeGreaterThanOrEqual(before)
    expect(checkpoint).not.toHaveProperty('state')
    expect(await store.listCheckpoints('s')).toEqual([checkpoint])
  },

  'L1: lists checkpoints in the order they were made': async ({ store }) => {
    const labels = ['one', 'two', 'three']
    for (const label of labels) {
      await say(store, 's', [label])
      await store.checkpoint('s', { label })
    }
    expect((await store.listCheckpoints('s')).map(({ label }) => label)).toEqual(labels)
  },

  'L11: shows the line as the checkpoint saw it, on a branch of its own': async ({ store }) => {
    await say(store, 's', numbered(3))
    const { id } = await store.checkpoint('s', { state: { step: 1 } })
    await say(store, 's', ['later'])
    const restored = await store.restoreCheckpoint('s', id)
    expect(restored).toMatchObject({ branch: { isHead: true, fork: { branch: '' } }, state: { step: 1 } })
    expect([await history(store, 's'), await transcript(store, 's')]).toEqual([numbered(3), numbered(3)])
    expect(await store.getMeta('s')).toMatchObject({ head: restored.branch.id, messageCount: 3 })
    await say(store, 's', ['instead'])
    expect(await history(store, 's')).toEqual([...numbered(3), 'instead'])
    expect(await transcript(store, 's', { branch: '' })).toEqual([...numbered(3), 'later'])
  },

  'L11: leaves out of a restored line what came later into a turn it had seen': async ({ store }) => {
    await store.append('s', [entryOf(user('q')), entryOf(assistant('a'))])
    const { id } = await store.checkpoint('s')
    await store.append('s', [entryOf(assistant('more of the same turn'))])
    await store.restoreCheckpoint('s', id)
    expect(await history(store, 's')).toEqual(['q', 'a'])
  },

  'L11: leaves out of a restored line what came later, even where it stands before the end': async ({
    store,
    openElsewhere,
  }) => {
    const other = await openElsewhere()
    await say(store, 's', ['q1'])
    await other.merge('s', await allChanges(store, 's'))
    await say(other, 's', ['q2'])
    await store.merge('s', await allChanges(other, 's'))
    const { id } = await store.checkpoint('s')
    await store.append('s', [entryOf(assistant('a1'))])
    expect(await history(store, 's')).toEqual(['q1', 'a1', 'q2'])
    await store.restoreCheckpoint('s', id)
    expect(await history(store, 's')).toEqual(['q1', 'q2'])
    expect((await store.getMeta('s'))?.messageCount).toBe(2)
  },

  'L11: undoes truncations, compactions and a new history made since': async ({ store }) => {
    await say(store, 's', numbered(5))
    const { id } = await store.checkpoint('s')
    await store.truncateHistory('s', 1)
    await store.setHistory('s', [user('all new')])
    await store.setCompaction('s', { summary: 'short', keepLast: 0 })
    await store.restoreCheckpoint('s', id)
    expect([await history(store, 's'), await store.getSummary('s')]).toEqual([numbered(5), ''])
  },

  'L11: restores what the line was after earlier cuts': async ({ store }) => {
    await say(store, 's', numbered(5))
    await store.truncateHistory('s', 2)
    const { id } = await store.checkpoint('s')
    await say(store, 's', ['later'])
    await store.restoreCheckpoint('s', id)
    expect(await history(store, 's')).toEqual(['m3', 'm4'])
  },

  'L11: restores the same checkpoint twice, and one of an empty session': async ({ store }) => {
    const empty = await store.checkpoint('s', { label: 'empty' })
    await say(store, 's', ['a'])
    const full = await store.checkpoint('s')
    for (const [id, expected] of [
      [empty.id, []],
      [full.id, ['a']],
      [empty.id, []],
      [full.id, ['a']],
    ] as const) {
      await store.restoreCheckpoint('s', id)
      expect(await history(store, 's')).toEqual(expected)
      await say(store, 's', ['after'])
    }
    expect((await store.listBranches('s')).length).toBe(5)
  },

  'L11: saves the line that is the head': async ({ store }) => {
    const main = await say(store, 's', ['a', 'b'])
    const branch = await store.openBranch('s', { after: main[0]! })
    await say(store, 's', ['c'])
    const { id, branch: line } = await store.checkpoint('s')
    expect(line).toBe(branch.id)
    await store.switchBranch('s', '')
    await store.restoreCheckpoint('s', id)
    expect(await history(store, 's')).toEqual(['a', 'c'])
  },

  'L1: forgets a checkpoint that is deleted': async ({ store }) => {
    await say(store, 's', ['a'])
    const { id } = await store.checkpoint('s')
    await store.deleteCheckpoint('s', id)
    expect(await store.listCheckpoints('s')).toEqual([])
    await refuses(store.restoreCheckpoint('s', id), 'CheckpointNotFound')
    await refuses(store.deleteCheckpoint('s', id), 'CheckpointNotFound')
  },

  'L12: creates no session when a checkpoint requires an existing one': async ({ store }) => {
    await refuses(store.checkpoint('s', { onDeleted: 'refuse' }), 'SessionNotFound')
    expect(await store.getMeta('s')).toBeUndefined()
    await say(store, 's', ['a'])
    expect(await store.checkpoint('s', { onDeleted: 'refuse' })).toMatchObject({ messages: 1 })
    await store.delete('s')
    await refuses(store.checkpoint('s', { onDeleted: 'refuse' }), 'SessionNotFound')
  },

  'L14: reports that there is no such checkpoint': async ({ store }) => {
    await say(store, 's', ['a'])
    const before = await everything(store, 's')
    await refuses(store.restoreCheckpoint('s', 'none'), 'CheckpointNotFound')
    await refuses(store.deleteCheckpoint('s', 'none'), 'CheckpointNotFound')
    for (const options of [{ label: 5 }, { metadata: 'text' }, { state: [1] }, { state: { n: Number.NaN } }])
      await refuses(store.checkpoint('s', options as never), 'InvalidInput')
    expect(await everything(store, 's')).toEqual(before)
  },
}
