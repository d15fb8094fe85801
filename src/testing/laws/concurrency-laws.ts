import { expect } from 'vitest'
import { entryOf, errorNameOf, history, numbered, readAll, say, soon, transcript, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

export const concurrencyLaws: Laws = {
  'L2: keeps 100 appends nobody waited for in their order': needs(['newestOnly'], async ({ store }) => {
    const receipts = await Promise.all(numbered(100).map((text) => say(store, 's', [text])))
    expect(await transcript(store, 's')).toEqual(numbered(100))
    expect((await readAll(store, 's')).map(({ order }) => order)).toEqual(receipts.map(([receipt]) => receipt!.order))
  }),

  'L14: a bad call among many fails alone': async ({ store }) => {
    const outcomes = await Promise.all(
      numbered(30).map((text, i) =>
        errorNameOf(() =>
          store.append('s', [entryOf(i % 10 === 5 ? { role: 'user', content: Number.NaN as never } : user(text))]),
        ),
      ),
    )
    expect(outcomes).toEqual(numbered(30).map((_, i) => (i % 10 === 5 ? 'InvalidInput' : undefined)))
    expect(await transcript(store, 's')).toEqual(numbered(30).filter((_, i) => i % 10 !== 5))
  },

  'L9: a call that is refused in the middle of a batch fails alone': async ({ store }) => {
    const [first] = await say(store, 's', ['first'])
    const outcomes = await Promise.all([
      errorNameOf(() => say(store, 's', ['a'], { parent: first!.order, onConflict: 'refuse' })),
      errorNameOf(() => say(store, 's', ['b'], { parent: first!.order, onConflict: 'refuse' })),
      errorNameOf(() => store.switchBranch('s', 'nowhere')),
      errorNameOf(() => store.updateMeta('s', { title: 'T' })),
      errorNameOf(() => store.restoreCheckpoint('s', 'none')),
      errorNameOf(() => say(store, 's', ['c'])),
    ])
    expect(outcomes).toEqual([undefined, 'ParentMoved', 'InvalidInput', undefined, 'CheckpointNotFound', undefined])
    expect(await history(store, 's')).toEqual(['first', 'a', 'c'])
    expect(await store.getMeta('s')).toMatchObject({ title: 'T', messageCount: 3 })
  },

  'L1: writes to many sessions at the same time': needs(['oneHistory', 'listSessions'], async ({ store }) => {
    const keys = numbered(20, 's')
    await Promise.all(keys.flatMap((key) => numbered(5).map((text) => say(store, key, [text]))))
    for (const key of keys) expect(await history(store, key)).toEqual(numbered(5))
    expect((await store.listSessions({ limit: 100 })).total).toBe(20)
  }),

  'L1: does different things at the same time as if one after the other': async ({ store }) => {
    const entries = await say(store, 's', numbered(10))
    await Promise.all([
      store.edit('s', entries[9]!, user('edited')),
      store.remove('s', entries[8]!),
      store.truncateHistory('s', 5),
      store.updateMeta('s', { title: 'T' }),
      say(store, 's', ['after']),
      store.setSummary('s', 'so far'),
      store.checkpoint('s', { label: 'c' }),
    ])
    expect(await history(store, 's')).toEqual(['m4', 'm5', 'm6', 'm7', 'edited', 'after'])
    expect(await store.getMeta('s')).toMatchObject({ title: 'T', summary: 'so far', messageCount: 6 })
    expect((await store.listCheckpoints('s')).length).toBe(1)
    expect((await store.verify()).problems).toEqual([])
  },

  'L1: stores of one place see what the others wrote': needs(['openAnother'], async ({ store, openAnother }) => {
    const other = await openAnother()
    await say(store, 's', ['a'])
    await soon(() => history(other, 's'), ['a'])
    await say(other, 's', ['b'])
    await other.updateMeta('s', { title: 'T' })
    await soon(() => history(store, 's'), ['a', 'b'])
    await soon(async () => (await store.getMeta('s'))?.title, 'T')
    await soon(async () => (await store.listSessions()).sessions.map(({ key, title }) => [key, title]), [['s', 'T']])
    await store.delete('s')
    await soon(() => history(other, 's'), [])
    await soon(async () => (await other.listSessions()).total, 0)
  }),

  'L1: three stores of one place lose none of 150 appends, and see one order': needs(
    ['openAnother', 'newestOnly'],
    async ({ store, openAnother }) => {
      const stores = [store, await openAnother(), await openAnother()]
      await Promise.all(stores.flatMap((one, i) => numbered(50, `${'abc'[i]}`).map((text) => say(one, 's', [text]))))
      for (const one of stores) await soon(async () => (await transcript(one, 's')).length, 150)
      const seen = await Promise.all(stores.map((one) => transcript(one, 's')))
      expect(new Set(seen[0]).size).toBe(150)
      expect(seen[1]).toEqual(seen[0])
      expect(seen[2]).toEqual(seen[0])
      for (const letter of 'abc')
        expect(seen[0]!.filter((text) => text.startsWith(letter))).toEqual(numbered(50, letter))
      for (const one of stores) await soon(async () => (await one.getMeta('s'))?.messageCount, 150)
      expect((await store.verify()).problems).toEqual([])
    },
  ),

  'L1: three stores of one place do different things to one session, and agree': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const stores = [store, await openAnother(), await openAnother()]
      const entries = await say(store, 's', numbered(12))
      await Promise.all(
        stores.map(async (one, i) => {
          for (let round = 0; round < 4; round++) {
            await say(one, 's', [`s${i} ${round}`])
            await one.edit('s', entries[4 * i + round]!, user(`edited ${4 * i + round}`))
            await one.updateMeta('s', { custom: { [`from ${i}`]: round }, tags: [`${i}`] })
            if (i === 1) await one.openBranch('s', { after: entries[round]!, head: false, name: `branch ${round}` })
          }
        }),
      )
      for (const one of stores) {
        await soon(async () => [(await one.listBranches('s')).length, (await one.getMeta('s'))?.messageCount], [5, 24])
        await soon(async () => (await transcript(one, 's')).slice(0, 12), numbered(12, 'edited '))
      }
      const states = await Promise.all(
        stores.map(async (one) => [await one.getMeta('s'), await readAll(one, 's'), await one.listBranches('s')]),
      )
      for (const state of states) expect(state).toEqual(states[0])
      expect((await store.verify()).problems).toEqual([])
    },
  ),

  'L6: one of several stores gets an alias': needs(['openAnother'], async ({ store, openAnother }) => {
    const stores = [store, await openAnother(), await openAnother()]
    for (const [i, one] of stores.entries()) await say(one, `s${i}`, ['x'])
    const outcomes = await Promise.all(
      stores.map((one, i) => errorNameOf(() => one.updateMeta(`s${i}`, { aliases: ['wanted'] }))),
    )
    expect([...outcomes].sort()).toEqual(['AliasConflict', 'AliasConflict', undefined])
    const owner = `s${outcomes.indexOf(undefined)}`
    for (const one of stores) await soon(() => one.resolveSessionKey('wanted'), owner)
  }),

  'L8: the same operation in two stores is done once': needs(['openAnother'], async ({ store, openAnother }) => {
    const other = await openAnother()
    const options = { operationId: 'op' }
    const [first, second] = await Promise.all([
      store.append('s', [entryOf(user('a'))], options),
      other.append('s', [entryOf(user('a'))], options),
    ])
    expect(second).toEqual(first)
    expect(await history(store, 's')).toEqual(['a'])
  }),
}
