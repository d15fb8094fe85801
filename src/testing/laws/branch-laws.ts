import { expect } from 'vitest'
import type { ReadOptions } from '../../contract/store/session-log.ts'
import {
  assistant,
  byId,
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
import { type Laws, lawsForEach } from '../law.ts'

export const branchLaws: Laws = {
  'L11: starts with one line, main, which is the head': async ({ store }) => {
    await say(store, 's', ['a'])
    expect(await store.listBranches('s')).toEqual([{ id: '', isHead: true, createdAt: 0, newerThanHead: 0 }])
  },

  'L11: opens a branch after an entry, and appends to it from then on': async ({ store }) => {
    const [, second] = await say(store, 's', ['a', 'b', 'c'])
    const branch = await store.openBranch('s', { after: second!, name: 'other way' })
    expect(branch).toMatchObject({
      name: 'other way',
      isHead: true,
      fork: { branch: '', order: second!.order },
      newerThanHead: 0,
    })
    expect(await transcript(store, 's')).toEqual(['a', 'b'])
    const [entry] = await say(store, 's', ['d'])
    expect(entry?.branch).toBe(branch.id)
    expect(await transcript(store, 's')).toEqual(['a', 'b', 'd'])
    expect(await history(store, 's')).toEqual(['a', 'b', 'd'])
    expect(await store.listBranches('s')).toEqual([expect.objectContaining({ id: '', isHead: false }), branch])
    expect(await store.getMeta('s')).toMatchObject({
      head: branch.id,
      branches: await store.listBranches('s'),
      messageCount: 3,
    })
  },

  "L11: reports which entries are a branch's own, on every page": async ({ store }) => {
    expect((await store.read('s', { own: true })).own).toEqual({ messages: 0, newest: 0 })
    const [first] = await say(store, 's', ['a', 'b', 'c'])
    const branch = await store.openBranch('s', { after: first! })
    expect((await store.read('s', { last: 1, own: true })).own).toEqual({ messages: 0, newest: 0 })
    const entries = await say(store, 's', numbered(40))
    expect((await store.read('s', { last: 1, own: true })).own).toEqual({ messages: 40, newest: expect.any(Number) })
    await store.remove('s', entries[5]!)
    await store.truncateHistory('s', 10)
    const own = async (options: ReadOptions): Promise<number | undefined> =>
      (await store.read('s', { limit: 1, own: true, ...options })).own?.messages
    expect([
      await own({}),
      await own({ view: 'raw' }),
      await own({ branch: '' }),
      await own({ branch: branch.id, view: 'context' }),
    ]).toEqual([10, 39, 3, 10])
    expect((await store.read('s', { last: 1 })).own).toBeUndefined()
  },

  'L11: opens an empty line at the start': async ({ store }) => {
    await say(store, 's', ['a'])
    const branch = await store.openBranch('s', { after: 'start' })
    expect(branch.fork).toEqual({ branch: '', order: '' })
    expect(await transcript(store, 's')).toEqual([])
    expect((await store.getMeta('s'))?.messageCount).toBe(0)
    await say(store, 's', ['b'])
    expect(await transcript(store, 's')).toEqual(['b'])
    expect(await transcript(store, 's', { branch: '' })).toEqual(['a'])
  },

  'L11: opens a branch without moving the head': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const branch = await store.openBranch('s', { after: first!, head: false })
    expect(branch.isHead).toBe(false)
    await say(store, 's', ['c'])
    await say(store, 's', ['aside'], { branch: branch.id })
    expect(await transcript(store, 's')).toEqual(['a', 'b', 'c'])
    expect(await transcript(store, 's', { branch: branch.id })).toEqual(['a', 'aside'])
  },

  'L11: keeps the history of each line when the other ones grow': async ({ store }) => {
    const main = await say(store, 's', ['a', 'b', 'c'])
    const first = await store.openBranch('s', { after: main[1]! })
    const side = await say(store, 's', ['d', 'e'])
    const second = await store.openBranch('s', { after: side[0]! })
    await say(store, 's', ['f'])
    await say(store, 's', ['g'], { branch: '' })
    await say(store, 's', ['h'], { branch: first.id })
    expect(await transcript(store, 's', { branch: '' })).toEqual(['a', 'b', 'c', 'g'])
    expect(await transcript(store, 's', { branch: first.id })).toEqual(['a', 'b', 'd', 'e', 'h'])
    expect(await transcript(store, 's', { branch: second.id })).toEqual(['a', 'b', 'd', 'f'])
  },

  'L11: shows on a branch what was edited or removed before its fork': async ({ store }) => {
    const main = await say(store, 's', ['a', 'b', 'c'])
    const branch = await store.openBranch('s', { after: main[2]! })
    await store.edit('s', main[0]!, user('A'))
    await store.remove('s', main[1]!)
    expect(await transcript(store, 's', { branch: '' })).toEqual(['A', 'c'])
    expect(await transcript(store, 's', { branch: branch.id })).toEqual(['A', 'c'])
  },

  'L11: changes nothing by switching back and forth': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const branch = await store.openBranch('s', { after: first! })
    await say(store, 's', ['c', 'd'])
    const there = await transcript(store, 's')
    const { messageCount, tokenEstimate } = (await store.getMeta('s'))!
    for (let i = 0; i < 3; i++) {
      await store.switchBranch('s', '')
      expect(await transcript(store, 's')).toEqual(['a', 'b'])
      expect(await store.getMeta('s')).toMatchObject({ head: '', messageCount: 2 })
      await store.switchBranch('s', branch.id)
      expect(await transcript(store, 's')).toEqual(there)
      expect(await store.getMeta('s')).toMatchObject({ head: branch.id, messageCount, tokenEstimate })
    }
  },

  'L11: appends to the head after a switch, also what would have continued a turn elsewhere': async ({ store }) => {
    const { entries } = await store.append('s', [entryOf(user('q')), entryOf(assistant('a'))])
    const branch = await store.openBranch('s', { after: entries[0]! })
    await store.append('s', [entryOf(assistant('b'))])
    await store.switchBranch('s', '')
    await store.append('s', [entryOf(assistant('a2'))])
    expect(await transcript(store, 's', { branch: '' })).toEqual(['q', 'a', 'a2'])
    expect(await transcript(store, 's', { branch: branch.id })).toEqual(['q', 'b'])
  },

  ...lawsForEach(
    [
      { where: 'the head', head: '' },
      { where: 'a line that is not the head', head: undefined },
    ],
    ({ where, head }) => [
      `L11: keeps what an assistant says on ${where}, after what a user said last was removed, off branches that left there`,
      async ({ store }) => {
        const [, last] = await say(store, 's', ['a', 'b'])
        const branch = await store.openBranch('s', { after: last! })
        await say(store, 's', ['c'])
        await store.remove('s', last!)
        if (head !== undefined) await store.switchBranch('s', head)
        await store.append('s', [entryOf(assistant('d'))], { branch: '' })
        const draft = await store.openDraft('s', { role: 'assistant', branch: '' })
        await store.sealDraft('s', draft, assistant('e'))
        expect(await transcript(store, 's', { branch: '' })).toEqual(['a', 'd', 'e'])
        expect(await transcript(store, 's', { branch: branch.id })).toEqual(['a', 'c'])
      },
    ],
  ),

  'L11: keeps a result with its call, even when the user message between them was removed': async ({ store }) => {
    const call = { id: 'call-1', type: 'function', function: { name: 'look', arguments: '{}' } }
    await store.append('s', [entryOf(user('a')), entryOf({ role: 'assistant', content: 'b', tool_calls: [call] })])
    const [later] = await say(store, 's', ['c'])
    await store.remove('s', later!)
    await store.openBranch('s', { after: 'start' })
    await store.switchBranch('s', '')
    const { entries } = await store.append('s', [entryOf({ role: 'tool', tool_call_id: 'call-1', content: 'd' })])
    expect(entries[0]!.order < later!.order).toBe(true)
    expect(await transcript(store, 's')).toEqual(['a', 'b', 'd'])
  },

  'L11: names branches, and removes names': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    const { id } = await store.openBranch('s', { after: first!, name: 'one' })
    await store.updateBranch('s', id, { name: 'two' })
    expect(byId(await store.listBranches('s'), id).name).toBe('two')
    await store.updateBranch('s', id, { name: null })
    expect(byId(await store.listBranches('s'), id).name).toBeUndefined()
    await store.updateBranch('s', '', { name: 'first try' })
    expect((await store.getMeta('s'))?.branches.map(({ name }) => name)).toEqual(['first try', undefined])
  },

  'L11: deletes a branch, and goes to its parent line when it was the head': async ({ store }) => {
    const main = await say(store, 's', ['a', 'b'])
    const parent = await store.openBranch('s', { after: main[0]!, head: false })
    const [side] = await say(store, 's', ['c'], { branch: parent.id })
    const child = await store.openBranch('s', { after: side! })
    await say(store, 's', ['d'])
    await store.deleteBranch('s', child.id)
    expect((await store.listBranches('s')).map(({ id, isHead }) => [id, isHead])).toEqual([
      ['', false],
      [parent.id, true],
    ])
    expect(await transcript(store, 's')).toEqual(['a', 'c'])
    await store.deleteBranch('s', parent.id)
    expect(await store.getMeta('s')).toMatchObject({ head: '', messageCount: 2 })
    expect(await transcript(store, 's')).toEqual(['a', 'b'])
  },

  'L11: deletes a branch that is not the head without touching the head': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const branch = await store.openBranch('s', { after: first!, head: false })
    const before = await transcript(store, 's')
    await store.deleteBranch('s', branch.id)
    expect(await transcript(store, 's')).toEqual(before)
    await refuses(store.switchBranch('s', branch.id), 'InvalidInput')
    await refuses(say(store, 's', ['x'], { branch: branch.id }), 'InvalidInput')
    await refuses(store.updateBranch('s', branch.id, { name: 'x' }), 'InvalidInput')
  },

  'L11: reports how much was added to other lines after the head was moved': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const branch = await store.openBranch('s', { after: first! })
    expect((await store.listBranches('s')).map(({ newerThanHead }) => newerThanHead)).toEqual([0, 0])
    await say(store, 's', ['c', 'd'], { branch: '' })
    expect(byId(await store.listBranches('s'), '').newerThanHead).toBe(2)
    await store.switchBranch('s', '')
    expect(byId(await store.listBranches('s'), '').newerThanHead).toBe(0)
    await say(store, 's', ['e'], { branch: branch.id })
    expect(byId(await store.listBranches('s'), branch.id).newerThanHead).toBe(1)
  },

  'L11: lets entries with ids of the host library be on several lines': async ({ store }) => {
    const { entries } = await store.append('s', [
      entryOf(user('q'), { mid: 'q' }),
      entryOf(assistant('a1'), { mid: 'a' }),
    ])
    await store.openBranch('s', { after: entries[0]! })
    const again = await store.append('s', [entryOf(assistant('a2'), { mid: 'a' })])
    expect((await readAll(store, 's')).map(({ mid }) => mid)).toEqual(['q', 'a'])
    expect((await store.findByMid('s', ['a']))[0]?.order).toBe(again.entries[0]?.order)
  },

  'L14: refuses branches that are not there, and to delete main': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    const before = await everything(store, 's')
    for (const branch of ['nowhere', 'constructor', '__proto__']) {
      await refuses(store.openBranch('s', { after: { branch, order: first!.order } }), 'InvalidInput')
      await refuses(store.switchBranch('s', branch), 'InvalidInput')
      await refuses(store.updateBranch('s', branch, { name: 'x' }), 'InvalidInput')
      await refuses(store.deleteBranch('s', branch), 'InvalidInput')
      await refuses(store.append('s', [entryOf(user('x'))], { branch }), 'InvalidInput')
      await refuses(store.edit('s', { branch, order: first!.order }, user('x')), 'InvalidInput')
      await refuses(store.read('s', { branch }), 'InvalidInput')
    }
    await refuses(store.openBranch('s', { after: { branch: '', order: 'nowhere' } }), 'InvalidInput')
    await refuses(store.openBranch('s', {} as never), 'InvalidInput')
    await refuses(store.deleteBranch('s', ''), 'InvalidInput')
    expect(await everything(store, 's')).toEqual(before)
  },
}
