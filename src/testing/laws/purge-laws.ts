import { expect } from 'vitest'
import { history, refuses, say } from '../helpers.ts'
import type { Suite } from '../suite.ts'

export function purgeLaws({ law }: Suite): void {
  law(
    'L23: lists what was purged, with all that was known of it',
    async ({ store }) => {
      await store.listPurges()
      await say(store, 's', ['one', 'two'])
      const vector = await store.getVector('s')
      await store.purge('s')
      expect(await store.listPurges()).toEqual([{ key: 's', vector }])
    },
    'oneHistory',
  )

  law(
    'L23: lists it by its key, by whatever name it was purged',
    async ({ store }) => {
      await store.listPurges()
      await say(store, 's', ['one'])
      await store.updateMeta('s', { aliases: ['a:other'] })
      await store.purge('a:other')
      expect((await store.listPurges()).map(({ key }) => key)).toEqual(['s'])
    },
    'oneHistory',
  )

  law(
    'L23: remembers nothing where nobody has asked',
    async ({ store }) => {
      await say(store, 's', ['one'])
      await store.purge('s')
      expect(await store.listPurges()).toEqual([])
    },
    'oneHistory',
  )

  law(
    'L23: lists nothing that was deleted, cleared, compacted or never there',
    async ({ store }) => {
      await store.listPurges()
      await say(store, 's', ['one', 'two'])
      await store.truncateHistory('s', 0)
      await store.reclaim('s')
      await store.delete('s')
      await store.purge('never there')
      expect(await store.listPurges()).toEqual([])
    },
    'oneHistory',
  )

  law(
    'L23: joins what was known of a session that was purged twice',
    async ({ store }) => {
      await store.listPurges()
      await say(store, 's', ['one'])
      const first = await store.getVector('s')
      await store.purge('s')
      await say(store, 's', ['two'])
      const second = await store.getVector('s')
      await store.purge('s')
      expect(await store.listPurges()).toEqual([{ key: 's', vector: { ...first, ...second } }])
    },
    'oneHistory',
  )

  law(
    'L23: forgets what was told, and nothing of what was purged anew since',
    async ({ store }) => {
      await store.listPurges()
      for (const key of ['a', 'b']) {
        await say(store, key, ['one'])
        await store.purge(key)
      }
      const told = await store.listPurges()
      await say(store, 'b', ['two'])
      await store.purge('b')
      await store.forgetPurges(told)
      expect((await store.listPurges()).map(({ key }) => key)).toEqual(['b'])
    },
    'oneHistory',
  )

  law(
    'L23: remembers nothing any more once all was forgotten',
    async ({ store }) => {
      await store.listPurges()
      await say(store, 's', ['one'])
      await store.purge('s')
      await store.forgetPurges()
      await say(store, 's', ['two'])
      await store.purge('s')
      expect(await store.listPurges()).toEqual([])
    },
    'oneHistory',
  )

  law('L23: refuses to forget what is no purge', async ({ store }) => {
    for (const told of ['s', [{ key: 's' }], [{ vector: {} }], [null], [{ key: 's', vector: { a: 'b' } }], Array(1)])
      await refuses(store.forgetPurges(told as never), 'InvalidInput')
  })

  law(
    'L23: lists it after it was opened again',
    async ({ store, reopen }) => {
      await store.listPurges()
      await say(store, 's', ['one'])
      await store.purge('s')
      const purges = await store.listPurges()
      await store.close()
      const again = await reopen()
      expect(await again.listPurges()).toEqual(purges)
      expect(await history(again, 's')).toEqual([])
    },
    'oneHistory',
    'reopen',
  )

  law(
    'L23: lists what another store of the place purged',
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await store.listPurges()
      await say(other, 's', ['one'])
      await other.purge('s')
      expect((await store.listPurges()).map(({ key }) => key)).toEqual(['s'])
    },
    'oneHistory',
    'openAnother',
  )
}
