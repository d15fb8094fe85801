import { expect } from 'vitest'
import type { EntryChange } from '../../contract/store/atomic-changes.ts'
import {
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

const appending = (...texts: string[]): EntryChange => ({
  type: 'append',
  entries: texts.map((text) => entryOf(user(text))),
})

const badChanges: readonly (readonly [string, unknown])[] = [
  ['nothing', null],
  ['an unknown type', { type: 'move' }],
  ['an append of nothing', { type: 'append', entries: [] }],
  ['an edit without a target', { type: 'edit', content: user('x') }],
  ['an edit without content', { type: 'edit', target: { mid: 'm1' } }],
  ['a removal without a target', { type: 'remove' }],
]

export const atomicChangeLaws: Laws = {
  'L26: returns the last entry and removes it': async ({ store }) => {
    await say(store, 's', ['a', 'b', 'c'])
    const last = (await readAll(store, 's')).at(-1)!
    expect(await store.pop('s')).toEqual(last)
    expect(await transcript(store, 's')).toEqual(['a', 'b'])
    expect((await store.getMeta('s'))?.messageCount).toBe(2)
  },

  'L26: returns an edited entry with its edit, again too': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    await store.edit('s', first!, user('A'))
    const popped = await store.pop('s', { operationId: 'op-1' })
    expect(popped).toMatchObject({ message: user('A') })
    expect(await store.pop('s', { operationId: 'op-1' })).toEqual(popped)
    expect(await store.pop('s')).toBeUndefined()
    expect(await store.pop('s', { operationId: 'op-2' })).toBeUndefined()
    await say(store, 's', ['b'])
    expect(await store.pop('s', { operationId: 'op-2' })).toBeUndefined()
    expect(await history(store, 's')).toEqual(['b'])
  },

  'L26: takes the last entry of a type': async ({ store }) => {
    await say(store, 's', ['a', 'b'])
    await store.append('s', [{ type: 'custom', data: { n: 1 } }])
    expect(await store.pop('s', { type: 'message' })).toMatchObject({ message: { content: 'b' } })
    expect(await store.pop('s', { type: 'label' })).toBeUndefined()
    expect(await store.pop('s')).toMatchObject({ type: 'custom', data: { n: 1 } })
    await refuses(store.pop('s', { type: 5 as never }), 'InvalidInput')
    expect(await transcript(store, 's')).toEqual(['a'])
  },

  'L26: gives each entry to one of many calls': async ({ store }) => {
    await say(store, 's', ['a', 'b', 'c'])
    const popped = await Promise.all(Array.from({ length: 5 }, () => store.pop('s')))
    expect(popped.map((entry) => entry?.message?.['content'])).toEqual(['c', 'b', 'a', undefined, undefined])
    expect(await transcript(store, 's')).toEqual([])
  },

  'L26: gives an entry to one of two stores on a place': needs(['openAnother'], async ({ store, openAnother }) => {
    const other = await openAnother()
    for (let round = 0; round < 8; round++) {
      await say(store, 's', ['a', 'b'])
      const popped = await Promise.all([store.pop('s'), other.pop('s')])
      expect(popped.map((entry) => entry?.message?.['content']).sort()).toEqual(['a', 'b'])
    }
    expect(await transcript(store, 's')).toEqual([])
  }),

  'L26: sees at once what another store on the place has written': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      for (let round = 0; round < 8; round++) {
        expect(await other.pop('s')).toBeUndefined()
        await say(store, 's', [`${round}`])
        expect((await other.pop('s'))?.message).toMatchObject({ content: `${round}` })
        await store.put('s', user('one'), { mid: `m${round}` })
        await other.put('s', user('two'), { mid: `m${round}` })
        expect(await store.put('s', user('one'), { mid: `m${round}` })).toMatchObject({ outcome: 'changed' })
        await other.clear('s')
      }
      expect(await transcript(other, 's')).toEqual([])
    },
  ),

  'L26: pops the entries of a long session one by one': needs(['newestOnly'], async ({ store }) => {
    const texts = Array.from({ length: 300 }, (_, i) => `m${i}`)
    await say(store, 's', texts)
    for (const text of texts.slice(250).reverse())
      expect((await store.pop('s'))?.message).toMatchObject({ content: text })
    expect(await transcript(store, 's')).toEqual(texts.slice(0, 250))
  }),

  'L27: appends, edits and removes together': async ({ store }) => {
    await store.append('s', [entryOf(user('a'), { mid: 'm1' }), entryOf(assistant('b'), { mid: 'm2' })])
    const { entries, branch } = await store.transact('s', [
      { type: 'edit', target: { mid: 'm1' }, content: user('A') },
      appending('c', 'd'),
      { type: 'remove', target: { mid: 'm2' } },
      appending('e'),
    ])
    expect([entries.length, branch]).toEqual([3, ''])
    expect(await transcript(store, 's')).toEqual(['A', 'c', 'd', 'e'])
    expect((await readAll(store, 's')).slice(1)).toMatchObject(entries)
  },

  ...lawsForEach(badChanges, ([name, change]) => [
    `L27: does nothing when one change is bad: ${name}`,
    async ({ store }) => {
      await store.append('s', [entryOf(user('a'), { mid: 'm1' })])
      const before = await everything(store, 's')
      await refuses(store.transact('s', [appending('b'), change as EntryChange]), 'InvalidInput')
      expect(await everything(store, 's')).toEqual(before)
    },
  ]),

  'L27: does nothing when an entry to change is gone or never was': async ({ store }) => {
    const [first, second] = await say(store, 's', ['a', 'b'])
    await store.remove('s', second!)
    const before = await everything(store, 's')
    for (const target of [second!, { mid: 'none' }, { branch: 'none', order: first!.order }]) {
      const edit: EntryChange = { type: 'edit', target, content: user('x') }
      await refuses(store.transact('s', [appending('c'), edit]), 'ParentMoved')
      await refuses(store.transact('s', [{ type: 'remove', target }, appending('c')]), 'ParentMoved')
    }
    expect(await everything(store, 's')).toEqual(before)
  },

  'L27: does nothing when an entry to change was cleared': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    await store.clear('s')
    await refuses(store.transact('s', [appending('b'), { type: 'remove', target: first! }]), 'ParentMoved')
    expect(await transcript(store, 's')).toEqual([])
  },

  'L27: counts an entry once that is changed twice, and refuses to change one that it removed': async ({ store }) => {
    const [first, second] = await say(store, 's', ['a', 'b', 'c'])
    const edit = (text: string): EntryChange => ({ type: 'edit', target: first!, content: user(text) })
    await store.transact('s', [edit('one'), edit('two'), { type: 'remove', target: second! }])
    expect(await transcript(store, 's')).toEqual(['two', 'c'])
    expect(await store.getMeta('s')).toMatchObject({ messageCount: 2 })
    expect((await store.verify('s')).problems).toEqual([])
    const remove: EntryChange = { type: 'remove', target: first! }
    await refuses(store.transact('s', [remove, remove]), 'ParentMoved')
    await refuses(store.transact('s', [remove, edit('three')]), 'ParentMoved')
    await store.transact('s', [edit('four'), remove])
    expect([await transcript(store, 's'), (await store.verify('s')).problems]).toEqual([['c'], []])
  },

  'L27: creates a session only when it has nothing but appends': needs(['oneHistory'], async ({ store }) => {
    const remove: EntryChange = { type: 'remove', target: { mid: 'm1' } }
    await refuses(store.transact('s', [remove, appending('a')]), 'ParentMoved')
    await refuses(store.transact('s', [appending('a')], { onDeleted: 'refuse' }), 'SessionNotFound')
    await refuses(store.transact('s', [appending('a')], { parent: '0'.repeat(20) }), 'ParentMoved')
    expect(await store.getMeta('s')).toBeUndefined()
    await store.transact('s', [appending('a')], { parent: '' })
    expect(await transcript(store, 's')).toEqual(['a'])
  }),

  'L27: does nothing when the line moved past the parent': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    await store.transact('s', [appending('b')], { parent: first!.order })
    await refuses(store.transact('s', [appending('c')], { parent: first!.order }), 'ParentMoved')
    await refuses(store.transact('s', [appending('c')], { parent: '' }), 'ParentMoved')
    expect(await transcript(store, 's')).toEqual(['a', 'b'])
  },

  'L27: is replayed under its operation id before anything else is looked at': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    const changes: readonly EntryChange[] = [appending('b', 'c'), { type: 'remove', target: first! }]
    const options = { parent: first!.order, operationId: 'op-1' }
    const result = await store.transact('s', changes, options)
    expect(await store.transact('s', changes, options)).toEqual(result)
    expect(await transcript(store, 's')).toEqual(['b', 'c'])
  },

  'L27: lets one of two stores on a place win that saw the same line': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await say(store, 's', ['a'])
      for (let round = 0; round < 8; round++) {
        const [last] = (await store.read('s', { last: 1 })).entries
        const edit: EntryChange = { type: 'edit', target: last!, content: user(`seen ${round}`) }
        const outcomes = await Promise.allSettled(
          [store, other].map((one) => one.transact('s', [edit, appending('next')], { parent: last!.order })),
        )
        expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      }
      expect(await transcript(store, 's')).toHaveLength(9)
    },
  ),

  'L28: empties the head line, and keeps metadata and other lines': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const side = await store.openBranch('s', { after: first! })
    await say(store, 's', ['c'])
    await store.append('s', [{ type: 'custom', data: { n: 1 } }])
    await store.updateMeta('s', { title: 'A title', tags: ['x'] })
    await store.clear('s')
    expect([await transcript(store, 's'), await history(store, 's'), await readAll(store, 's')]).toEqual([[], [], []])
    expect(await transcript(store, 's', { branch: '' })).toEqual(['a', 'b'])
    expect(await store.getMeta('s')).toMatchObject({ title: 'A title', tags: ['x'], head: side.id, messageCount: 0 })
    await say(store, 's', ['d'])
    expect(await transcript(store, 's')).toEqual(['d'])
  },

  'L28: leaves a session as it is that is empty, deleted or unknown': async ({ store }) => {
    await say(store, 's', ['a'])
    await store.clear('s')
    const { entries } = await store.usage('s')
    await store.clear('s')
    expect((await store.usage('s')).entries).toBe(entries)
    await store.delete('s')
    await store.clear('s')
    await store.undelete('s')
    expect(await transcript(store, 's')).toEqual([])
  },

  'L28: lets operations be done again that made what was cleared': async ({ store }) => {
    await say(store, 's', ['a'], { operationId: 'op-1' })
    await store.put('s', user('b'), { mid: 'm1', operationId: 'op-2' })
    await store.clear('s')
    await say(store, 's', ['a'], { operationId: 'op-1' })
    await store.put('s', user('b'), { mid: 'm1', operationId: 'op-2' })
    expect(await transcript(store, 's')).toEqual(['a', 'b'])
  },

  'L28: clears a long session': needs(['newestOnly'], async ({ store }) => {
    await say(store, 's', numbered(300))
    await store.clear('s')
    expect([await transcript(store, 's'), (await store.getMeta('s'))?.messageCount]).toEqual([[], 0])
  }),
}
