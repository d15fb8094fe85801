import { expect } from 'vitest'
import { assistant, byId, entryOf, history, refuses, say, soon, transcript, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

export const parentLaws: Laws = {
  'L9: appends when the line is as the caller saw it': async ({ store }) => {
    const [first] = await say(store, 's', ['a'], { parent: '', onConflict: 'refuse' })
    const result = await store.append('s', [entryOf(user('b'))], { parent: first!.order, onConflict: 'refuse' })
    expect(result).toMatchObject({ moved: false, branch: '' })
    expect(await history(store, 's')).toEqual(['a', 'b'])
  },

  'L9: says that the line moved on, and appends after what is there': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    await say(store, 's', ['b'])
    expect(await store.append('s', [entryOf(user('c'))], { parent: first!.order })).toMatchObject({
      moved: true,
      branch: '',
    })
    expect(await store.append('s', [entryOf(user('d'))], { parent: '', onConflict: 'append' })).toMatchObject({
      moved: true,
      branch: '',
    })
    expect(await history(store, 's')).toEqual(['a', 'b', 'c', 'd'])
  },

  'L9: refuses when the line moved on, and writes nothing': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    await say(store, 's', ['b'])
    const before = await store.getMeta('s')
    await refuses(say(store, 's', ['c'], { parent: first!.order, onConflict: 'refuse' }), 'ParentMoved')
    await refuses(say(store, 's', ['c'], { parent: '', onConflict: 'refuse' }), 'ParentMoved')
    expect(await store.getMeta('s')).toEqual(before)
    expect(await history(store, 's')).toEqual(['a', 'b'])
  },

  'L9: opens a branch at the parent when the line moved on': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    await say(store, 's', ['b'])
    const result = await store.append('s', [entryOf(user('c')), entryOf(assistant('d'))], {
      parent: first!.order,
      onConflict: 'branch',
    })
    expect(result.moved).toBe(true)
    expect(result.branch).not.toBe('')
    expect(result.entries.map(({ branch }) => branch)).toEqual([result.branch, result.branch])
    expect(await transcript(store, 's', { branch: result.branch })).toEqual(['a', 'c', 'd'])
    expect(await transcript(store, 's', { branch: '' })).toEqual(['a', 'b'])
    expect(byId(await store.listBranches('s'), result.branch).fork).toEqual({ branch: '', order: first!.order })
  },

  'L9: opens a branch at the start when the caller saw an empty line': async ({ store }) => {
    await say(store, 's', ['a'])
    const { branch } = await store.append('s', [entryOf(user('b'))], { parent: '', onConflict: 'branch' })
    expect(await transcript(store, 's', { branch })).toEqual(['b'])
    expect(await transcript(store, 's', { branch: '' })).toEqual(['a'])
  },

  'L9: compares with the line it was asked to write to': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const branch = await store.openBranch('s', { after: first!, head: false })
    const [side] = await say(store, 's', ['c'], { branch: branch.id, parent: first!.order, onConflict: 'refuse' })
    await say(store, 's', ['d'])
    await say(store, 's', ['e'], { branch: branch.id, parent: side!.order, onConflict: 'refuse' })
    await refuses(
      say(store, 's', ['f'], { branch: branch.id, parent: side!.order, onConflict: 'refuse' }),
      'ParentMoved',
    )
    expect(await transcript(store, 's', { branch: branch.id })).toEqual(['a', 'c', 'e'])
  },

  'L9: compares with what the line shows, whatever was removed after that': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b', 'c'])
    await store.pop('s')
    const { entries } = await store.read('s')
    await store.remove('s', entries[1]!)
    await refuses(say(store, 's', ['d'], { parent: '', onConflict: 'refuse' }), 'ParentMoved')
    const seen = { parent: first!.order, onConflict: 'refuse' } as const
    expect(await store.append('s', [entryOf(user('d'))], seen)).toMatchObject({ moved: false, branch: '' })
    await refuses(say(store, 's', ['e'], seen), 'ParentMoved')
    await store.pop('s')
    await store.transact('s', [{ type: 'append', entries: [entryOf(user('e'))] }], { parent: first!.order })
    expect([await history(store, 's'), (await store.listBranches('s')).length]).toEqual([['a', 'e'], 1])
  },

  'L9: takes a line that was cleared for an empty one': async ({ store }) => {
    await say(store, 's', ['a', 'b'])
    await store.clear('s')
    const seen = { parent: '', onConflict: 'refuse' } as const
    expect(await store.append('s', [entryOf(user('c'))], seen)).toMatchObject({ moved: false, branch: '' })
    await refuses(say(store, 's', ['d'], seen), 'ParentMoved')
    await store.clear('s')
    await store.transact('s', [{ type: 'append', entries: [entryOf(user('d'))] }], { parent: '' })
    expect(await history(store, 's')).toEqual(['d'])
    await store.delete('s')
    expect(await store.append('s', [entryOf(user('e'))], seen)).toMatchObject({ moved: false, branch: '' })
    expect(await history(store, 's')).toEqual(['e'])
  },

  'L9: compares with what a line shows that is not the head': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const { id } = await store.openBranch('s', { after: first!, head: false })
    const [side] = await say(store, 's', ['c'], { branch: id })
    await store.remove('s', side!)
    await say(store, 's', ['d'], { branch: id, parent: first!.order, onConflict: 'refuse' })
    await refuses(say(store, 's', ['e'], { branch: id, parent: first!.order, onConflict: 'refuse' }), 'ParentMoved')
    expect(await transcript(store, 's', { branch: id })).toEqual(['a', 'd'])
  },

  'L9: opens a branch where a message was removed only if another came after it': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    await store.pop('s')
    const seen = { parent: first!.order, onConflict: 'branch' } as const
    expect(await store.append('s', [entryOf(user('c'))], seen)).toMatchObject({ moved: false, branch: '' })
    const { moved, branch } = await store.append('s', [entryOf(user('d'))], seen)
    expect([moved, await transcript(store, 's', { branch })]).toEqual([true, ['a', 'd']])
  },

  'L9: an entry that the line never had is never its end': async ({ store }) => {
    await say(store, 's', ['a'])
    await refuses(say(store, 's', ['b'], { parent: 'zzz', onConflict: 'refuse' }), 'ParentMoved')
    await store.clear('s')
    await refuses(say(store, 's', ['b'], { parent: 'zzz', onConflict: 'refuse' }), 'ParentMoved')
  },

  'L9: accepts only one of several appends after an entry that is the last again': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    await store.pop('s')
    const outcomes = await Promise.allSettled(
      ['c', 'd', 'e'].map((text) => say(store, 's', [text], { parent: first!.order, onConflict: 'refuse' })),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  },

  'L9: accepts only one of several appends with the same parent': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, i) => say(store, 's', [`b${i}`], { parent: first!.order, onConflict: 'refuse' })),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'rejected',
    ])
    expect((await history(store, 's')).length).toBe(2)
  },

  'L9: accepts only one of several stores that append with the same parent': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const stores = [store, await openAnother(), await openAnother()]
      const [first] = await say(store, 's', ['a'])
      const outcomes = await Promise.allSettled(
        stores.map((one, i) => say(one, 's', [`b${i}`], { parent: first!.order, onConflict: 'refuse' })),
      )
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
      for (const one of stores) await soon(async () => (await history(one, 's')).length, 2)
    },
  ),

  'L14: refuses parents and answers to conflicts that make no sense': async ({ store }) => {
    await say(store, 's', ['a', 'b'])
    await refuses(say(store, 's', ['c'], { parent: 5 } as never), 'InvalidInput')
    await refuses(say(store, 's', ['c'], { parent: '', onConflict: 'overwrite' } as never), 'InvalidInput')
    await refuses(say(store, 's', ['c'], { parent: 'made up', onConflict: 'branch' }), 'InvalidInput')
    expect(await history(store, 's')).toEqual(['a', 'b'])
  },
}
