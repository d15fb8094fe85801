import { expect } from 'vitest'
import { assistant, entryOf, everything, history, readAll, refuses, say, transcript, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

export const editLaws: Laws = {
  'L1: shows an edited message where the original stood': async ({ store }) => {
    const [, second] = await say(store, 's', ['a', 'b', 'c'])
    await store.edit('s', second!, assistant('B'))
    expect(await store.getHistory('s')).toEqual([user('a'), assistant('B'), user('c')])
    const [, entry] = await readAll(store, 's')
    expect(entry).toMatchObject({ ...second, message: assistant('B') })
    expect(entry?.edit).toEqual(expect.any(String))
    expect((await store.getMeta('s'))?.messageCount).toBe(3)
  },

  'L1: lets the last of several edits win': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    for (const text of ['b', 'c', 'd']) await store.edit('s', first!, user(text))
    expect(await transcript(store, 's')).toEqual(['d'])
  },

  'L1: removes a message from every view, and brings it back by an edit': async ({ store }) => {
    const [, second] = await say(store, 's', ['a', 'b', 'c'])
    await store.remove('s', second!)
    expect([await transcript(store, 's'), await history(store, 's')]).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ])
    expect((await store.getMeta('s'))?.messageCount).toBe(2)
    await store.edit('s', second!, user('back'))
    expect(await transcript(store, 's')).toEqual(['a', 'back', 'c'])
    expect((await store.getMeta('s'))?.messageCount).toBe(3)
  },

  'L1: reports whether it was this removal that took the entry out': async ({ store }) => {
    const [first, second] = await say(store, 's', ['a', 'b'])
    expect(await store.remove('s', second!, { operationId: 'op-1' })).toEqual({ removed: true })
    const { entries } = await store.usage('s')
    expect(await store.remove('s', second!)).toEqual({ removed: false })
    expect(await store.remove('s', second!, { operationId: 'op-2' })).toEqual({ removed: false })
    expect((await store.usage('s')).entries).toBe(entries)
    await store.edit('s', second!, user('back'))
    expect(await store.remove('s', second!, { operationId: 'op-1' })).toEqual({ removed: true })
    expect(await store.remove('s', second!, { operationId: 'op-2' })).toEqual({ removed: false })
    expect(await transcript(store, 's')).toEqual(['a', 'back'])
    expect(
      await Promise.all([store.remove('s', second!), store.remove('s', second!), store.remove('s', first!)]),
    ).toEqual([{ removed: true }, { removed: false }, { removed: true }])
    expect(await transcript(store, 's')).toEqual([])
  },

  'L1: reports to only one of two stores on a place that it removed an entry': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      for (let round = 0; round < 8; round++) {
        const [entry] = await say(store, 's', ['a'])
        const results = await Promise.all([store.remove('s', entry!), other.remove('s', entry!)])
        expect(results.map(({ removed }) => removed).sort()).toEqual([false, true])
      }
      expect(await transcript(store, 's')).toEqual([])
    },
  ),

  'L1: edits and removes by the id of the host library': async ({ store }) => {
    await store.append('s', [entryOf(user('a'), { mid: 'm1' }), entryOf(user('b'), { mid: 'm2' })])
    await store.edit('s', { mid: 'm1' }, user('A'))
    await store.remove('s', { mid: 'm2' })
    expect(await transcript(store, 's')).toEqual(['A'])
    expect((await readAll(store, 's'))[0]?.mid).toBe('m1')
  },

  'L1: counts the tokens of the current text of a message': async ({ store }) => {
    const [first] = await say(store, 's', ['a'.repeat(398)])
    expect((await store.getMeta('s'))?.tokenEstimate).toBe(100)
    await store.edit('s', first!, user('a'.repeat(38)))
    expect((await store.getMeta('s'))?.tokenEstimate).toBe(10)
    await store.remove('s', first!)
    expect(await store.getMeta('s')).toMatchObject({ tokenEstimate: 0, messageCount: 0 })
  },

  'L1: edits early messages of a long session': needs(['newestOnly'], async ({ store }) => {
    const entries = await say(
      store,
      's',
      Array.from({ length: 300 }, (_, i) => `m${i}`),
    )
    await store.edit('s', entries[5]!, user('edited'))
    await store.remove('s', entries[100]!)
    const texts = await transcript(store, 's')
    expect([texts.length, texts[5], texts[99], texts[100]]).toEqual([299, 'edited', 'm99', 'm101'])
    expect((await store.getMeta('s'))?.messageCount).toBe(299)
  }),

  'L26: gives an entry that lines share to one of them, and removes it from all': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const { id } = await store.openBranch('s', { after: first! })
    expect((await store.pop('s'))?.id).toBe(first!.id)
    expect([await transcript(store, 's', { branch: id }), await transcript(store, 's', { branch: '' })]).toEqual([
      [],
      ['b'],
    ])
    expect(await store.pop('s')).toBeUndefined()
  },

  'L14: refuses to edit or remove an entry that does not exist': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    const before = await everything(store, 's')
    for (const target of [
      { branch: '', order: '0'.repeat(20) },
      { branch: 'nowhere', order: first!.order },
      { mid: 'none' },
      {},
      null,
      { branch: '' },
    ]) {
      await refuses(store.edit('s', target as never, user('b')), 'InvalidInput')
      await refuses(store.remove('s', target as never), 'InvalidInput')
    }
    expect(await everything(store, 's')).toEqual(before)
  },
}
