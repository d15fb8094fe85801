import { expect } from 'vitest'
import { allChanges, assistant, everything, history, refuses, say, transcript, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

export const putLaws: Laws = {
  'L25: puts a message that is new, and changes it in its place': async ({ store }) => {
    expect(await store.put('s', user('a'), { mid: 'm1' })).toMatchObject({ outcome: 'added' })
    const added = await store.put('s', assistant('b'), { mid: 'm2' })
    await say(store, 's', ['c'])
    const changed = await store.put('s', assistant('B'), { mid: 'm2' })
    expect(changed).toEqual({ outcome: 'changed', entry: added.entry })
    expect(await transcript(store, 's')).toEqual(['a', 'B', 'c'])
    expect(await store.find('s', { mid: 'm2' })).toMatchObject({ ...added.entry, mid: 'm2', message: assistant('B') })
  },

  'L25: writes nothing when the stored message is equal, in whatever order its fields come': async ({ store }) => {
    const { entry } = await store.put('s', { role: 'user', content: 'a', x: { one: 1, two: 2 } }, { mid: 'm1' })
    const before = await everything(store, 's')
    const same = { x: { two: 2, one: 1 }, content: 'a', role: 'user' }
    expect(await store.put('s', same, { mid: 'm1' })).toEqual({ outcome: 'same', entry })
    expect(await everything(store, 's')).toEqual(before)
  },

  'L25: takes the id of the message itself, and refuses a message without any': async ({ store }) => {
    await store.put('s', { ...user('a'), id: 'm1' })
    await store.put('s', { ...user('A'), id: 'm1' })
    expect(await transcript(store, 's')).toEqual(['A'])
    await refuses(store.put('s', user('b')), 'InvalidInput')
    await refuses(store.put('s', user('b'), { mid: '' }), 'InvalidInput')
    await refuses(store.put('s', user('b'), { mid: 5 as never }), 'InvalidInput')
    await refuses(store.put('s', user('b'), { mid: 'm2', branch: 'none' }), 'InvalidInput')
    await refuses(store.put('s', user('b'), { mid: 'm2', after: { mid: 'none' } }), 'InvalidInput')
    expect(await transcript(store, 's')).toEqual(['A'])
  },

  'L25: stores one message although it is put many times at once': async ({ store }) => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => store.put('s', user(n % 2 === 0 ? 'even' : 'odd'), { mid: 'm1' })),
    )
    expect(results.filter(({ outcome }) => outcome === 'added')).toHaveLength(1)
    expect(new Set(results.map(({ entry }) => entry.id)).size).toBe(1)
    expect(await transcript(store, 's')).toEqual(['odd'])
  },

  'L25: stores one message although two stores on a place put it at once': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      for (let round = 0; round < 8; round++) {
        const mid = `m${round}`
        const results = await Promise.all([store.put('s', user(mid), { mid }), other.put('s', user(mid), { mid })])
        expect(results.map(({ outcome }) => outcome).sort()).toEqual(['added', 'same'])
      }
      expect(await transcript(store, 's')).toEqual(Array.from({ length: 8 }, (_, round) => `m${round}`))
    },
  ),

  'L25: adds a message anew that was removed, or whose line was cleared': async ({ store }) => {
    const first = await store.put('s', user('a'), { mid: 'm1' })
    await store.remove('s', first.entry)
    expect(await store.put('s', user('a'), { mid: 'm1' })).toMatchObject({ outcome: 'added' })
    await store.clear('s')
    expect(await store.put('s', user('a'), { mid: 'm1' })).toMatchObject({ outcome: 'added' })
    expect(await transcript(store, 's')).toEqual(['a'])
  },

  'L25: follows the message it is to follow, on a branch where others follow that one': async ({ store }) => {
    const question = await store.put('s', user('q'), { mid: 'q', after: null })
    const one = await store.put('s', assistant('one'), { mid: 'one', after: { mid: 'q' } })
    const two = await store.put('s', assistant('two'), { mid: 'two', after: question.entry })
    expect([one.entry.branch, two.entry.branch === '']).toEqual(['', false])
    expect(await transcript(store, 's')).toEqual(['q', 'two'])
    // It is the head now; an answer to the other reply makes the other line the head.
    await store.put('s', user('more'), { mid: 'more', after: { mid: 'one' } })
    expect(await transcript(store, 's')).toEqual(['q', 'one', 'more'])
    // Known messages are changed where they are, whatever the head is.
    expect(await store.put('s', assistant('TWO'), { mid: 'two', after: { mid: 'q' } })).toEqual({
      outcome: 'changed',
      entry: two.entry,
    })
    expect(await transcript(store, 's', { branch: two.entry.branch })).toEqual(['q', 'TWO'])
    expect(await transcript(store, 's')).toEqual(['q', 'one', 'more'])
  },

  'L25: begins a branch from nothing for another first message': async ({ store }) => {
    await store.put('s', user('one'), { mid: 'one', after: null })
    await store.put('s', user('two'), { mid: 'two', after: null })
    expect(await transcript(store, 's')).toEqual(['two'])
    expect(await transcript(store, 's', { branch: '' })).toEqual(['one'])
  },

  'L25: passes over removed messages and entries that are no message behind the one to follow': async ({ store }) => {
    await store.put('s', user('q'), { mid: 'q' })
    await store.append('s', [{ type: 'custom', data: { note: 1 } }])
    await store.put('s', assistant('gone'), { mid: 'gone' })
    await store.remove('s', { mid: 'gone' })
    const { entry } = await store.put('s', assistant('a'), { mid: 'a', after: { mid: 'q' } })
    expect(entry.branch).toBe('')
    expect(await history(store, 's')).toEqual(['q', 'a'])
  },

  'L25: looks only at the branch that it is told': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    await store.put('s', user('main'), { mid: 'm1' })
    const side = await store.openBranch('s', { after: first!, head: false })
    expect(await store.put('s', user('side'), { mid: 'm1', branch: side.id })).toMatchObject({ outcome: 'added' })
    expect(await history(store, 's')).toEqual(['a', 'main'])
    expect(await transcript(store, 's', { branch: side.id })).toEqual(['a', 'side'])
    // Two versions of one id: the head shows which one is meant.
    expect(await store.find('s', { mid: 'm1' })).toMatchObject({ message: user('main') })
    await store.switchBranch('s', side.id)
    expect(await store.find('s', { mid: 'm1' })).toMatchObject({ message: user('side') })
  },

  'L8: is done once under an operation id, even when the message was changed since': async ({ store }) => {
    const options = { mid: 'm1', operationId: 'op-1' }
    const first = await store.put('s', user('a'), options)
    await store.put('s', user('b'), { mid: 'm1' })
    expect(await store.put('s', user('a'), options)).toEqual(first)
    expect(await transcript(store, 's')).toEqual(['b'])
    await refuses(store.put('s', user('c'), options), 'OperationConflict')
  },

  'L8: is done again after a clear, whatever it found before': async ({ store }) => {
    for (const [operationId, outcome] of [
      ['op-1', 'added'],
      ['op-2', 'same'],
    ] as const) {
      expect(await store.put('s', user('a'), { mid: 'm1', operationId })).toMatchObject({ outcome })
      expect(await store.put('s', user('a'), { mid: 'm1', operationId })).toMatchObject({ outcome })
    }
    await store.put('s', user('b'), { mid: 'm1', operationId: 'op-3' })
    await store.clear('s')
    expect(await store.put('s', user('b'), { mid: 'm1', operationId: 'op-3' })).toMatchObject({ outcome: 'added' })
    await store.clear('s')
    expect(await store.put('s', user('a'), { mid: 'm1', operationId: 'op-2' })).toMatchObject({ outcome: 'added' })
    expect(await transcript(store, 's')).toEqual(['a'])
  },

  'L25: changes the message of an id, not another entry with that id': async ({ store }) => {
    await store.put('s', user('a'), { mid: 'm1' })
    await store.append('s', [{ type: 'custom', data: { n: 1 }, mid: 'm1' }])
    expect(await store.put('s', user('b'), { mid: 'm1' })).toMatchObject({ outcome: 'changed' })
    expect(await history(store, 's')).toEqual(['b'])
  },

  'L1: names the same entry by a host id for every call': async ({ store }) => {
    const [first] = await say(store, 's', ['a'])
    await store.put('s', user('main'), { mid: 'm1' })
    const side = await store.openBranch('s', { after: first!, head: false })
    await store.put('s', user('side'), { mid: 'm1', branch: side.id })
    await store.edit('s', { mid: 'm1' }, user('MAIN'))
    expect(await transcript(store, 's')).toEqual(['a', 'MAIN'])
    await store.remove('s', { mid: 'm1' })
    expect([await transcript(store, 's'), await transcript(store, 's', { branch: side.id })]).toEqual([
      ['a'],
      ['a', 'side'],
    ])
  },

  'L12: restarts a deleted session, or refuses where it is told to': async ({ store }) => {
    await store.put('s', user('old'), { mid: 'm1' })
    await store.delete('s')
    await refuses(store.put('s', user('new'), { mid: 'm1', onDeleted: 'refuse' }), 'SessionNotFound')
    expect(await store.put('s', user('new'), { mid: 'm1' })).toMatchObject({ outcome: 'added' })
    expect(await transcript(store, 's')).toEqual(['new'])
  },

  'L1: finds one entry by its host id or its position, as it is now': async ({ store }) => {
    const [first, second] = (
      await store.append('s', [
        { type: 'message', message: user('a'), mid: 'm1' },
        { type: 'custom', data: { n: 1 }, mid: 'c1' },
      ])
    ).entries
    await store.edit('s', first!, user('A'))
    expect(await store.find('s', { mid: 'm1' })).toMatchObject({ ...first, message: user('A'), mid: 'm1' })
    expect(await store.find('s', first!)).toMatchObject({ ...first, message: user('A') })
    expect(await store.find('s', { mid: 'c1' })).toMatchObject({ ...second, type: 'custom', mid: 'c1' })
    expect(await store.find('s', { mid: 'none' })).toBeUndefined()
    expect(await store.find('s', { branch: 'none', order: first!.order })).toBeUndefined()
    await refuses(store.find('s', {} as never), 'InvalidInput')
    await store.remove('s', first!)
    expect([await store.find('s', first!), await store.find('s', { mid: 'm1' })]).toEqual([undefined, undefined])
    const { entry } = await store.put('s', user('b'), { mid: 'm2' })
    await store.clear('s')
    expect([await store.find('s', entry), await store.find('s', { mid: 'm2' })]).toEqual([undefined, undefined])
    await store.delete('s')
    expect(await store.find('s', second!)).toBeUndefined()
  },

  'L1: edits the data of an entry that is no message, and nothing else of another kind': async ({ store }) => {
    const [custom, message] = (
      await store.append('s', [
        { type: 'custom', data: { n: 1 }, mid: 'c1' },
        { type: 'message', message: user('a') },
      ])
    ).entries
    await store.edit('s', custom!, { data: { n: 2 } })
    expect(await store.find('s', { mid: 'c1' })).toMatchObject({ data: { n: 2 }, edit: expect.any(String) })
    const before = await allChanges(store, 's')
    await refuses(store.edit('s', custom!, user('x')), 'InvalidInput')
    await refuses(store.edit('s', message!, { data: { n: 3 } }), 'InvalidInput')
    await refuses(store.edit('s', custom!, { data: [1] as never }), 'InvalidInput')
    expect(await allChanges(store, 's')).toEqual(before)
  },
}
