import { expect } from 'vitest'
import { allChanges, history, refuses, say } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

/** Sessions that were purged on another device and kept here, and their next life. */
export const lifeLaws: Laws = {
  'L24: deletes what is kept, and says so': needs(['oneHistory'], async ({ store }) => {
    await say(store, 's', ['a'])
    await store.delete('s')
    await store.delete('s', { kept: true })
    expect(await history(store, 's')).toEqual([])
    expect(await store.getMeta('s')).toMatchObject({ kept: true, deletedAt: expect.any(Number) as number })
    expect((await store.listSessions({ deleted: true })).sessions).toMatchObject([{ key: 's', kept: true }])
  }),

  'L24: begins the next life of a kept session when it is undeleted': needs(['oneHistory'], async ({ store }) => {
    await say(store, 's', ['a'])
    for (const life of [1, 2]) {
      await store.delete('s', { kept: true })
      await store.undelete('s')
      const meta = await store.getMeta('s')
      expect([meta?.life, meta?.kept, meta?.deletedAt]).toEqual([life, undefined, undefined])
      expect(await history(store, 's')).toEqual(['a'])
    }
    await store.delete('s')
    await store.undelete('s')
    expect((await store.getMeta('s'))?.life).toBe(2)
  }),

  'L24: keeps nothing of a life that is over: what was brought back stays': needs(['oneHistory'], async ({ store }) => {
    await say(store, 's', ['a'])
    await store.delete('s', { kept: true })
    await store.undelete('s')
    await store.delete('s', { kept: true, life: 0 })
    expect(await history(store, 's')).toEqual(['a'])
  }),

  'L24: begins the next life of a kept session when it is restarted': needs(['oneHistory'], async ({ store }) => {
    await say(store, 's', ['a'])
    await store.delete('s', { kept: true, life: 4 })
    await say(store, 's', ['b'])
    expect(await history(store, 's')).toEqual(['b'])
    expect((await store.getMeta('s'))?.life).toBe(5)
  }),

  'L24: ignores a deletion of an earlier life, in whatever order they arrive': needs(
    ['oneHistory'],
    async ({ store, openElsewhere }) => {
      const [one, two, late] = [await openElsewhere(), await openElsewhere(), await openElsewhere()]
      await say(store, 's', ['a'])
      for (const other of [one, two]) await other.merge('s', await allChanges(store, 's'))
      await one.delete('s', { kept: true })
      await one.undelete('s')
      // Later by any clock, and of the life before.
      await two.delete('s', { kept: true })
      await two.delete('s')
      for (const [from, to] of [
        [one, store],
        [two, store],
        [two, late],
        [one, late],
        [one, two],
      ] as const)
        await to.merge('s', await allChanges(from, 's'))
      for (const other of [store, late, two])
        expect([await history(other, 's'), (await other.getMeta('s'))?.life]).toEqual([['a'], 1])
      expect((await store.verify()).problems).toEqual([])
    },
  ),

  'L24: accepts a later life from a sync, and leaves a deleted session deleted': needs(
    ['oneHistory'],
    async ({ store }) => {
      await say(store, 's', ['a'])
      await store.undelete('s', { life: 3 })
      expect([await history(store, 's'), (await store.getMeta('s'))?.life]).toEqual([['a'], 3])
      await store.undelete('s', { life: 2 })
      await store.delete('s', { life: 5 })
      expect([(await store.getMeta('s'))?.life, (await store.getMeta('s'))?.kept, await history(store, 's')]).toEqual([
        5,
        undefined,
        [],
      ])
      for (const life of [-1, 0.5, 'x', null]) await refuses(store.undelete('s', { life } as never), 'InvalidInput')
    },
  ),

  'L24: lists with a purge which life it erased, and no purge of what was moved': needs(
    ['oneHistory'],
    async ({ store }) => {
      await store.listPurges()
      for (const key of ['s', 'moved']) await say(store, key, ['a'])
      await store.undelete('s', { life: 2 })
      const vector = (await store.getVector('s'))!
      await store.purge('s')
      await store.purge('moved', { isMoved: true })
      expect(await store.listPurges()).toEqual([{ key: 's', vector, life: 2 }])
      await store.forgetPurges([{ key: 's', vector }])
      expect(await store.listPurges()).toHaveLength(1)
      await store.forgetPurges([{ key: 's', vector, life: 2 }])
      expect(await store.listPurges()).toEqual([])
    },
  ),
}
