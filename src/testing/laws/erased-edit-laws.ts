import { expect } from 'vitest'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { allChanges, history, numbered, say, transcript, user } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

/** All that is stored of a session's log, as one text. */
const stored = async (store: SessionStore): Promise<string> => JSON.stringify(await allChanges(store, 's'))

const edits = async (store: SessionStore): Promise<number> =>
  (await allChanges(store, 's')).filter(({ type }) => type === 'edit').length

/** Gives each store what the other has, until neither has more. */
async function exchange(one: SessionStore, other: SessionStore): Promise<void> {
  for (let before = ''; ; ) {
    await other.merge('s', await allChanges(one, 's', await other.getVector('s')))
    await one.merge('s', await allChanges(other, 's', await one.getVector('s')))
    const now = JSON.stringify([await one.getVector('s'), await other.getVector('s')])
    if (now === before) return
    before = now
  }
}

/** What `reclaim` leaves of edits. */
export const erasedEditLaws: Laws = {
  'L10: reclaim erases every text that a message had when it was removed': async ({ store }) => {
    const [, secret] = await say(store, 's', ['kept', 'secret in the message'])
    await store.edit('s', secret!, user('secret in an edit'))
    await store.edit('s', secret!, user('secret in another edit'))
    await store.remove('s', secret!)
    expect(await store.reclaim('s')).toBe(4)
    expect(await stored(store)).not.toContain('secret')
    expect(await edits(store)).toBe(0)
    expect(await transcript(store, 's')).toEqual(['kept'])
    expect(await store.reclaim('s')).toBe(0)
    expect((await store.verify('s')).problems).toEqual([])
  },

  'L10: reclaim erases the edits that a later one replaced': async ({ store }) => {
    const [first, second] = await say(store, 's', ['first', 'second'])
    for (const n of numbered(3, 'draft ')) {
      await store.edit('s', first!, user(n))
      await store.edit('s', second!, user(`other ${n}`))
    }
    const { entryBytes } = await store.usage('s')
    expect(await store.reclaim('s')).toBe(4)
    expect(await stored(store)).not.toMatch(/draft [01]/)
    expect(await transcript(store, 's')).toEqual(['draft 2', 'other draft 2'])
    const usage = await store.usage('s')
    expect(usage.entryBytes).toBeLessThan(entryBytes)
    expect(usage.entries).toBe((await store.verify('s')).entries)
    expect(await store.reclaim('s')).toBe(0)
    await store.edit('s', first!, user('edited once more'))
    expect(await store.reclaim('s')).toBe(1)
    expect(await transcript(store, 's')).toEqual(['edited once more', 'other draft 2'])
    expect(await store.repair('s')).toMatchObject({ problems: [], repaired: 0 })
  },

  'L10: reclaim leaves one text of a message that was put many times': async ({ store }) => {
    for (const n of numbered(70, 'growing ')) await store.put('s', { id: 'reply', role: 'assistant', content: n })
    expect(await store.reclaim('s')).toBe(68)
    expect(await edits(store)).toBe(1)
    expect(await history(store, 's')).toEqual(['growing 69'])
  },

  'L10: reclaim keeps the text that a checkpoint saw, until that is deleted': needs(
    ['oneHistory'],
    async ({ store }) => {
      const [first] = await say(store, 's', ['first'])
      await store.edit('s', first!, user('replaced before'))
      await store.edit('s', first!, user('saved'))
      const checkpoint = await store.checkpoint('s')
      await store.edit('s', first!, user('replaced since'))
      await store.edit('s', first!, user('last'))
      expect(await store.reclaim('s')).toBe(2)
      const left = await stored(store)
      expect([left.includes('saved'), left.includes('last'), left.includes('replaced')]).toEqual([true, true, false])
      await store.deleteCheckpoint('s', checkpoint.id)
      // The checkpoint goes with it.
      expect(await store.reclaim('s')).toBe(2)
      expect(await stored(store)).not.toContain('saved')
      expect(await history(store, 's')).toEqual(['last'])
    },
  ),

  'L21: is refused for a missing message, however many edits were erased': needs(
    ['damage', 'newestOnly'],
    async ({ store, damage }) => {
      const entries = await say(store, 's', numbered(70))
      for (const n of numbered(80)) await store.edit('s', entries.at(-1)!, user(n))
      const { id } = await store.checkpoint('s')
      await store.edit('s', entries.at(-1)!, user('last'))
      await store.reclaim('s')
      await store.restoreCheckpoint('s', id)
      await damage('s')
      await store.repair('s')
      await expect(store.restoreCheckpoint('s', id)).rejects.toMatchObject({ name: 'ChecksumMismatch' })
    },
  ),

  'L17: another store gets no text that was erased, and takes none back': async ({ store, openElsewhere }) => {
    const [first, second] = await say(store, 's', ['first', 'secret'])
    await store.edit('s', second!, user('secret edit'))
    await store.edit('s', first!, user('replaced'))
    await store.edit('s', first!, user('last'))
    const before = await allChanges(store, 's')
    await store.remove('s', second!)
    await store.reclaim('s')
    const other = await openElsewhere()
    await other.merge('s', await allChanges(store, 's'))
    for (const one of [store, other]) {
      await one.merge('s', before)
      expect(await stored(one)).not.toMatch(/secret|replaced/)
      expect(await transcript(one, 's')).toEqual(['last'])
      expect((await one.verify('s')).problems).toEqual([])
    }
    expect(await other.getVector('s')).toEqual(await store.getVector('s'))
  },

  'L17: stores that edit and reclaim at once read the same': async ({ store, openElsewhere }) => {
    const other = await openElsewhere()
    const entries = await say(store, 's', numbered(6))
    for (const entry of entries) await store.edit('s', entry, user('edited before'))
    await exchange(store, other)
    for (const [i, one] of [store, other].entries()) {
      await one.edit('s', entries[0]!, user(`by ${i}`))
      await one.edit('s', entries[i + 1]!, user(`alone by ${i}`))
      await one.remove('s', entries[i + 3]!)
      await one.reclaim('s')
      await one.edit('s', entries[0]!, user(`again by ${i}`))
      // One that the other store removed and erased.
      await one.edit('s', entries[4 - i]!, user('of no use'))
    }
    await exchange(store, other)
    for (const one of [store, other]) await one.reclaim('s')
    await exchange(store, other)
    for (const one of [store, other]) await one.reclaim('s')
    await exchange(store, other)
    const texts = await transcript(store, 's')
    expect(texts).toEqual(['again by 1', 'alone by 0', 'alone by 1', 'edited before'])
    expect(await transcript(other, 's')).toEqual(texts)
    expect(await other.getVector('s')).toEqual(await store.getVector('s'))
    for (const one of [store, other]) {
      expect(await stored(one)).not.toContain('of no use')
      expect((await one.verify('s')).problems).toEqual([])
    }
  },
}
