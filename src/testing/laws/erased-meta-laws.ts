import { expect } from 'vitest'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { allChanges, history, say } from '../helpers.ts'
import type { Laws } from '../law.ts'

/** All that is stored of a session's log, as one text. */
const stored = async (store: SessionStore): Promise<string> => JSON.stringify(await allChanges(store, 's'))

const isWell = async (store: SessionStore): Promise<void> => expect((await store.verify('s')).problems).toEqual([])

/** What `reclaim` leaves of metadata. */
export const erasedMetaLaws: Laws = {
  'L10: reclaim erases titles, summaries, memos and names that were replaced, and no others': async ({ store }) => {
    const [entry] = await say(store, 's', ['a', 'b'])
    const { id } = await store.openBranch('s', { after: entry!, name: 'opened' })
    for (const text of ['secret', 'secret too', 'kept']) {
      await store.updateMeta('s', { title: text })
      await store.updateMeta('s', { memo: { text } })
      await store.setSummary('s', text)
      for (const branch of [id, '']) await store.updateBranch('s', branch, { name: text })
    }
    expect(await store.reclaim('s')).toBe(10)
    expect(await stored(store)).not.toContain('secret')
    const shown = async (): Promise<unknown> => {
      const { title, memo } = (await store.getMeta('s'))!
      const names = (await store.listBranches('s')).map(({ name }) => name)
      return [title, memo, await store.getSummary('s'), ...names]
    }
    expect(await shown()).toEqual(['kept', { text: 'kept' }, 'kept', 'kept', 'kept'])
    expect(await store.reclaim('s')).toBe(0)
    await isWell(store)
    expect(await store.repair('s')).toMatchObject({ problems: [], repaired: 0 })
    expect(await shown()).toEqual(['kept', { text: 'kept' }, 'kept', 'kept', 'kept'])
    await store.updateMeta('s', { title: null })
    expect(await store.reclaim('s')).toBe(1)
    expect((await store.getMeta('s'))!.title).not.toBe('kept')
    await isWell(store)
  },

  'L10: reclaim erases a summary that was set, once every line was cleared since': async ({ store, openElsewhere }) => {
    const [entry] = await say(store, 's', ['a', 'b'])
    await store.setSummary('s', 'secret')
    const { id: checkpoint } = await store.checkpoint('s')
    const { id } = await store.openBranch('s', { after: entry! })
    const other = await openElsewhere()
    await other.merge('s', await allChanges(store, 's'))
    await store.clear('s')
    await store.switchBranch('s', '')
    await store.reclaim('s')
    expect(await store.getSummary('s')).toBe('secret')
    await store.clear('s')
    await store.reclaim('s')
    expect(await stored(store)).toContain('secret')
    await store.deleteCheckpoint('s', checkpoint)
    await store.reclaim('s')
    expect(await stored(store)).not.toContain('secret')
    expect((await store.getMeta('s'))!.summary ?? '').toBe('')
    await isWell(store)
    expect(await store.reclaim('s')).toBe(0)
    // Another store gets to the same, and takes none back.
    await store.merge('s', await allChanges(other, 's'))
    await other.merge('s', await allChanges(store, 's'))
    await other.reclaim('s')
    for (const one of [store, other]) {
      expect(await stored(one)).not.toContain('secret')
      for (const branch of ['', id]) {
        await one.switchBranch('s', branch)
        expect(await one.getSummary('s')).toBe('')
      }
      await isWell(one)
    }
    await store.setSummary('s', 'new')
    expect([await store.reclaim('s'), await store.getSummary('s')]).toEqual([0, 'new'])
  },

  'L17: a summary that another store set since stays when a cleared one is erased': async ({
    store,
    openElsewhere,
  }) => {
    await say(store, 's', ['a'])
    await store.setSummary('s', 'secret')
    await store.clear('s')
    const other = await openElsewhere()
    await other.merge('s', await allChanges(store, 's'))
    await other.setSummary('s', 'told')
    expect(await store.reclaim('s')).toBe(2)
    const mine = await allChanges(store, 's')
    await store.merge('s', await allChanges(other, 's'))
    await other.merge('s', mine)
    await other.reclaim('s')
    for (const one of [store, other]) {
      expect(await one.getSummary('s')).toBe('told')
      expect(await stored(one)).not.toContain('secret')
      await isWell(one)
    }
  },

  'L10: reclaim keeps what was set together with a title, until that was set again as well': async ({ store }) => {
    await say(store, 's', ['a'])
    await store.updateMeta('s', { title: 'first', tags: ['old'] })
    await store.updateMeta('s', { title: 'second' })
    expect(await store.reclaim('s')).toBe(0)
    expect(await store.getMeta('s')).toMatchObject({ title: 'second', tags: ['old'] })
    await store.updateMeta('s', { tags: ['new'] })
    expect(await store.reclaim('s')).toBe(1)
    expect(await store.getMeta('s')).toMatchObject({ title: 'second', tags: ['new'] })
    await isWell(store)
  },

  'L10: reclaim erases the title of a session that was deleted and begun anew': async ({ store }) => {
    await say(store, 's', ['a'])
    await store.updateMeta('s', { title: 'secret' })
    await store.delete('s')
    await say(store, 's', ['b'])
    await store.reclaim('s')
    expect(await stored(store)).not.toContain('secret')
    expect(await history(store, 's')).toEqual(['b'])
    await isWell(store)
  },

  'L17: a title that was erased counts where what replaced it is still to come': async ({ store, openElsewhere }) => {
    const [other, third] = [await openElsewhere(), await openElsewhere()]
    await say(store, 's', ['a'])
    await store.updateMeta('s', { title: 'first' })
    const before = await allChanges(store, 's')
    for (const one of [other, third]) await one.merge('s', before)
    await other.updateMeta('s', { title: 'second' })
    const replacing = (await allChanges(other, 's')).filter(({ w }) => w !== before[0]!.w)
    await store.merge('s', replacing)
    expect(await store.reclaim('s')).toBe(1)
    const after = await allChanges(store, 's')
    const purge = after.filter(({ type }) => type === 'purge')
    expect(purge).toHaveLength(1)
    const title = async (one: SessionStore): Promise<unknown> => (await one.getMeta('s'))?.title
    // It has the erased title, and hears of the purge before it hears of the second.
    await third.merge('s', purge)
    expect([await title(third), await third.reclaim('s')]).toEqual(['first', 0])
    await isWell(third)
    await third.merge('s', replacing)
    expect([await title(third), await third.reclaim('s')]).toEqual(['second', 1])
    for (const one of [store, third]) {
      await one.merge('s', before)
      expect(await stored(one)).not.toContain('first')
      expect(await title(one)).toBe('second')
      await isWell(one)
    }
    expect(await third.getVector('s')).toEqual(await store.getVector('s'))
  },

  'L17: stores that rename and reclaim at once read the same': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    await say(store, 's', ['a'])
    await store.updateMeta('s', { title: 'before' })
    await other.merge('s', await allChanges(store, 's'))
    for (const one of [store, other]) {
      await one.updateMeta('s', { title: 'replaced' })
      await one.updateMeta('s', { title: one === store ? 'one' : 'other', userId: 'me' })
      await one.reclaim('s')
    }
    const [mine, theirs] = [await allChanges(store, 's'), await allChanges(other, 's')]
    await store.merge('s', theirs)
    await other.merge('s', mine)
    const [meta, same] = [await store.getMeta('s'), await other.getMeta('s')]
    expect(meta).toMatchObject({ userId: 'me' })
    expect(['one', 'other']).toContain(meta!.title)
    expect(same!.title).toBe(meta!.title)
    for (const one of [store, other]) {
      await one.reclaim('s')
      expect(await stored(one)).not.toMatch(/before|replaced/)
      expect((await one.getMeta('s'))!.title).toBe(meta!.title)
      await isWell(one)
    }
  },
}
