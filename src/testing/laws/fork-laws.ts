import { expect } from 'vitest'
import type { EntryReceipt } from '../../contract/entry.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { assistant, entryOf, refuses, say, transcript, user } from '../helpers.ts'
import { type Laws, lawsForEach } from '../law.ts'

/** What a head shows that no other line shows any more, or otherwise. */
const situations: readonly {
  readonly where: string
  readonly enter: (store: SessionStore) => Promise<readonly EntryReceipt[]>
}[] = [
  {
    where: 'a line that was restored after the session was cleared',
    enter: async (store) => {
      const entries = await say(store, 's', ['q1', 'a1', 'q2', 'a2'])
      const { id } = await store.checkpoint('s')
      await store.clear('s')
      await store.restoreCheckpoint('s', id)
      return entries
    },
  },
  {
    where: 'a line that was left before the main line was cleared',
    enter: async (store) => {
      const entries = await say(store, 's', ['q1', 'a1', 'q2', 'a2'])
      const { id } = await store.openBranch('s', { after: entries[3]! })
      await store.switchBranch('s', '')
      await store.clear('s')
      await store.switchBranch('s', id)
      return entries
    },
  },
  {
    where: 'a line on which the oldest messages were cut, but not on the main line',
    enter: async (store) => {
      const entries = await say(store, 's', ['q0', 'a0', 'q1', 'a1', 'q2', 'a2'])
      await store.openBranch('s', { after: entries[5]! })
      await store.truncateHistory('s', 4)
      return entries.slice(2)
    },
  },
  {
    where: 'a line that leaves another such line',
    enter: async (store) => {
      const entries = await say(store, 's', ['q1', 'a1', 'q2', 'a2'])
      const { id } = await store.checkpoint('s')
      await store.clear('s')
      await store.restoreCheckpoint('s', id)
      await store.openBranch('s', { after: entries[3]! })
      return entries
    },
  },
]

const begun = ['q1', 'a1', 'q2', 'a2']

/** Branches of lines that show what other lines hide, or hide what others show. */
export const forkLaws: Laws = {
  ...lawsForEach(situations, ({ where, enter }) => [
    `L11: opens a branch that shows what is shown up to its fork, on ${where}`,
    async ({ store }) => {
      const entries = await enter(store)
      expect(await transcript(store, 's')).toEqual(begun)
      for (const [i, after] of entries.entries()) {
        const { id } = await store.openBranch('s', { after, head: false })
        expect(await transcript(store, 's', { branch: id })).toEqual(begun.slice(0, i + 1))
      }
      await store.openBranch('s', { after: entries[2]! })
      const { messageCount } = (await store.getMeta('s'))!
      expect([messageCount, await transcript(store, 's')]).toEqual([3, ['q1', 'a1', 'q2']])
      await say(store, 's', ['other'])
      expect(await transcript(store, 's')).toEqual(['q1', 'a1', 'q2', 'other'])
    },
  ]),

  ...lawsForEach(situations, ({ where, enter }) => [
    `L9: opens a branch at the parent with what is shown before it, on ${where}`,
    async ({ store }) => {
      const [, parent] = await enter(store)
      const { branch } = await store.append('s', [entryOf(user('x'))], { parent: parent!.order, onConflict: 'branch' })
      expect(await transcript(store, 's', { branch })).toEqual(['q1', 'a1', 'x'])
    },
  ]),

  ...lawsForEach(situations, ({ where, enter }) => [
    `L25: puts a message after another one with what is shown before it, on ${where}`,
    async ({ store }) => {
      const [, after, , last] = await enter(store)
      await store.put('s', user('y'), { mid: 'y', after: last! })
      expect(await transcript(store, 's')).toEqual([...begun, 'y'])
      await store.put('s', user('z'), { mid: 'z', after: after! })
      expect(await transcript(store, 's')).toEqual(['q1', 'a1', 'z'])
    },
  ]),

  'L11: continues the line that it is asked to continue, and no other': async ({ store }) => {
    const [first, second] = await say(store, 's', ['a', 'b', 'c'])
    const { id: short } = await store.openBranch('s', { after: second! })
    await store.truncateHistory('s', 1)
    await store.switchBranch('s', '')
    const on = async (line: string): Promise<string> =>
      (await store.openBranch('s', { after: second!, line, head: false })).id
    expect(await transcript(store, 's', { branch: await on('') })).toEqual(['a', 'b'])
    expect(await transcript(store, 's', { branch: await on(short) })).toEqual(['b'])
    const { id: early } = await store.openBranch('s', { after: first!, head: false })
    await refuses(on(early), 'InvalidInput')
    await refuses(on('none'), 'InvalidInput')
    await refuses(store.openBranch('s', { after: first!, line: 5 as never }), 'InvalidInput')
  },

  'L11: opens the same branch again for one operation, although the head is another one by then': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const options = { after: first!, operationId: 'o' }
    const branch = await store.openBranch('s', { ...options, line: '' })
    expect(await store.openBranch('s', { ...options, line: branch.id })).toEqual(branch)
    const append = { parent: first!.order, onConflict: 'branch', operationId: 'p' } as const
    const appended = await store.append('s', [entryOf(assistant('x'))], { ...append, branch: '' })
    expect(await store.append('s', [entryOf(assistant('x'))], { ...append, branch: appended.branch })).toEqual(appended)
  },
}
