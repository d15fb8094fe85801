import { expect } from 'vitest'
import { allChanges, entryOf, history, numbered, say, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'
import { old, scope } from '../promoted-session.ts'

/** A history is promoted once, whoever asks for it and however often (L20). */
export const promotionOnceLaws: Laws = {
  'L20: remembers an operation id that was used before the history moved': needs(['oneHistory'], async ({ store }) => {
    const texts = numbered(8)
    for (const text of texts) await say(store, old, [text], { operationId: text })
    await store.ensureSessionMetadata('new', scope, [old])
    await store.ensureSessionMetadata('newer', scope, ['new', old])
    for (const text of [...texts, 'more', 'more']) await say(store, old, [text], { operationId: text })
    expect(await history(store, 'newer')).toEqual([...texts, 'more'])
    await store.delete('newer')
    for (const text of ['m0', 'm7', 'm0']) await say(store, 'newer', [text], { operationId: text })
    expect(await history(store, 'newer')).toEqual(['m0', 'm7'])
  }),

  'L20: promotes once, not again after the new session was cleared or erased': needs(
    ['oneHistory'],
    async ({ store }) => {
      await say(store, old, ['a'])
      await store.ensureSessionMetadata('new', scope, [old])
      await store.setHistory('new', [])
      await store.setSummary('new', '')
      expect(await store.ensureSessionMetadata('new', scope, [old])).toEqual({ key: 'new', conflicts: [] })
      expect(await history(store, 'new')).toEqual([])
      await store.purge('new')
      expect(await store.ensureSessionMetadata('new', scope, [old])).toEqual({ key: 'new', conflicts: [] })
      expect(await history(store, 'new')).toEqual([])
    },
  ),

  'L20: remembers a promotion no longer than the session it made': needs(['oneHistory'], async ({ store }) => {
    await say(store, old, ['a'])
    const ensure = () => store.ensureSessionMetadata('new', scope, [old], { operationId: 'o' })
    expect(await ensure()).toEqual({ key: 'new', conflicts: [], promoted: old })
    expect(await ensure()).toEqual({ key: 'new', conflicts: [], promoted: old })
    await store.delete('new')
    await ensure()
    expect((await store.getMeta('new'))?.deletedAt).toBeUndefined()
  }),

  'L20: promotes once when a session is ensured many times at once': needs(['oneHistory'], async ({ store }) => {
    await say(store, old, ['a'])
    const calls = ['new', 'new', 'new', 'other'].map((key) => store.ensureSessionMetadata(key, scope, [old]))
    // Also while somebody writes to it. Without the alias, this call could be the first, and there would be no promotion.
    calls.push(say(store, old, ['b']).then(() => store.ensureSessionMetadata('new', scope, [old])))
    const results = await Promise.all(calls)
    expect(results.filter(({ promoted }) => promoted !== undefined)).toHaveLength(1)
    const winner = await store.resolveSessionKey(old)
    expect((await history(store, winner))[0]).toBe('a')
    const loser = winner === 'new' ? 'other' : 'new'
    expect(await history(store, loser)).toEqual([])
  }),

  'L20: promotes once when two tabs ensure at once': needs(
    ['oneHistory', 'openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await say(store, old, ['a'])
      await say(store, 'plain', ['p'])
      await say(other, 'plain', ['q'])
      const results = await Promise.all(
        [store, other].flatMap((tab) => [
          tab.ensureSessionMetadata('new', scope, [old]),
          tab.ensureSessionMetadata('newer', scope, ['plain']),
        ]),
      )
      expect(
        results
          .map(({ promoted }) => promoted)
          .filter((name) => name !== undefined)
          .sort(),
      ).toEqual([old, 'plain'])
      for (const tab of [store, other]) {
        await say(tab, old, ['b'])
        await say(tab, 'plain', ['r'])
      }
      expect(await history(store, 'new')).toEqual(['a', 'b', 'b'])
      expect(await history(other, 'newer')).toEqual(['p', 'q', 'r', 'r'])
    },
  ),

  'L20: duplicates nothing when two devices promote the same history': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const elsewhere = await openElsewhere()
      await say(store, old, ['p1', 'p2', 'p3'])
      await elsewhere.merge(old, await allChanges(store, old))
      for (const [device, text] of [
        [store, 'c1'],
        [elsewhere, 'd1'],
      ] as const) {
        expect((await device.ensureSessionMetadata('new', scope, [old])).promoted).toBe(old)
        await say(device, 'new', [text])
      }
      const [ours, theirs] = [await allChanges(store, 'new'), await allChanges(elsewhere, 'new')]
      await store.merge('new', theirs)
      await elsewhere.merge('new', ours)
      const shown = await history(store, 'new')
      expect(await history(elsewhere, 'new')).toEqual(shown)
      // Of what two devices said in one millisecond, either may come first.
      expect([shown.slice(0, 3), shown.slice(3).sort()]).toEqual([
        ['p1', 'p2', 'p3'],
        ['c1', 'd1'],
      ])
    },
  ),

  'L8: returns the same promotion when the operation is repeated': needs(['oneHistory'], async ({ store }) => {
    await store.append(old, [entryOf(user('a'))], { operationId: 'append' })
    const first = await store.ensureSessionMetadata('new', scope, [old], { operationId: 'ensure' })
    expect(await store.ensureSessionMetadata('new', scope, [old], { operationId: 'ensure' })).toEqual(first)
    await store.append(old, [entryOf(user('a'))], { operationId: 'append' })
    expect(await history(store, 'new')).toEqual(['a'])
  }),
}
