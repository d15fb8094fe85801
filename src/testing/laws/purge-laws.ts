import { expect } from 'vitest'
import { foreignEntry } from '../calls.ts'
import { history, refuses, say } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

export const purgeLaws: Laws = {
  'L23: lists what was purged, with all that was known of it': needs(['oneHistory'], async ({ store }) => {
    await store.listPurges()
    await say(store, 's', ['one', 'two'])
    const vector = await store.getVector('s')
    await store.purge('s')
    expect(await store.listPurges()).toEqual([{ key: 's', vector }])
  }),

  'L23: lists it by its key, by whatever name it was purged': needs(['oneHistory'], async ({ store }) => {
    await store.listPurges()
    await say(store, 's', ['one'])
    await store.updateMeta('s', { aliases: ['a:other'] })
    await store.purge('a:other')
    expect((await store.listPurges()).map(({ key }) => key)).toEqual(['s'])
  }),

  'L23: records no purges unless asked to': needs(['oneHistory'], async ({ store }) => {
    await say(store, 's', ['one'])
    await store.purge('s')
    expect(await store.listPurges()).toEqual([])
  }),

  'L23: lists nothing that was deleted, cleared, compacted or never there': needs(['oneHistory'], async ({ store }) => {
    await store.listPurges()
    await say(store, 's', ['one', 'two'])
    await store.truncateHistory('s', 0)
    await store.reclaim('s')
    await store.delete('s')
    await store.purge('never there')
    expect(await store.listPurges()).toEqual([])
  }),

  'L23: joins what was known of a session that was purged twice': needs(['oneHistory'], async ({ store }) => {
    await store.listPurges()
    await say(store, 's', ['one'])
    const first = await store.getVector('s')
    await store.purge('s')
    await say(store, 's', ['two'])
    const second = await store.getVector('s')
    await store.purge('s')
    expect(await store.listPurges()).toEqual([{ key: 's', vector: { ...first, ...second } }])
  }),

  'L12: patches no session but the one that is meant': async ({ store }) => {
    await say(store, 's', ['before'])
    const { session } = await store.read('s', { last: 1 })
    await store.updateMeta('s', { title: 'mine' }, { session })
    await store.purge('s')
    await refuses(store.updateMeta('s', { title: 'of what was erased' }, { session }), 'SessionNotFound')
    expect(await store.getMeta('s')).toBeUndefined()
    await say(store, 's', ['begun anew'])
    await refuses(store.updateMeta('s', { title: 'of what was erased' }, { session }), 'SessionNotFound')
    expect((await store.getMeta('s'))?.title).toBe('begun anew')
  },

  'L23: merges into no session that was begun anew since its caller looked, and neither deletes nor restores it': needs(
    ['oneHistory'],
    async ({ store }) => {
      await say(store, 's', ['before'])
      const having = (await store.getVector('s'))!
      expect(await store.merge('s', [foreignEntry('more')], { having })).toMatchObject({ added: 1 })
      await store.purge('s')
      await say(store, 's', ['begun anew'])
      const entry = foreignEntry('late', 1)
      await refuses(store.merge('s', [entry], { having }), 'ParentMoved')
      await refuses(store.delete('s', { having }), 'ParentMoved')
      await refuses(store.undelete('s', { life: 3, having }), 'ParentMoved')
      await refuses(store.merge('not there', [entry], { having }), 'ParentMoved')
      expect(await history(store, 's')).toEqual(['begun anew'])
      expect(await store.getMeta('s')).not.toHaveProperty('life')
      expect(await store.getMeta('not there')).toBe(undefined)
    },
  ),

  'L23: forgets the purges it is given, and no later purge': needs(['oneHistory'], async ({ store }) => {
    await store.listPurges()
    for (const key of ['a', 'b']) {
      await say(store, key, ['one'])
      await store.purge(key)
    }
    const reported = await store.listPurges()
    await say(store, 'b', ['two'])
    await store.purge('b')
    await store.forgetPurges(reported)
    expect((await store.listPurges()).map(({ key }) => key)).toEqual(['b'])
  }),

  'L23: remembers nothing any more once all was forgotten': needs(['oneHistory'], async ({ store }) => {
    await store.listPurges()
    await say(store, 's', ['one'])
    await store.purge('s')
    await store.forgetPurges()
    await say(store, 's', ['two'])
    await store.purge('s')
    expect(await store.listPurges()).toEqual([])
  }),

  'L23: refuses to forget a value that is not a purge': async ({ store }) => {
    for (const reported of [
      's',
      [{ key: 's' }],
      [{ vector: {} }],
      [null],
      [{ key: 's', vector: { a: 'b' } }],
      Array(1),
    ])
      await refuses(store.forgetPurges(reported as never), 'InvalidInput')
  },

  'L23: lists it after it was opened again': needs(['oneHistory', 'reopen'], async ({ store, reopen }) => {
    await store.listPurges()
    await say(store, 's', ['one'])
    await store.purge('s')
    const purges = await store.listPurges()
    await store.close()
    const again = await reopen()
    expect(await again.listPurges()).toEqual(purges)
    expect(await history(again, 's')).toEqual([])
  }),

  'L23: lists what another store of the place purged': needs(
    ['oneHistory', 'openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await store.listPurges()
      await say(other, 's', ['one'])
      await other.purge('s')
      expect((await store.listPurges()).map(({ key }) => key)).toEqual(['s'])
    },
  ),
}
