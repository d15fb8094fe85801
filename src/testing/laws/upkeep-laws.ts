import { expect } from 'vitest'
import { setScene } from '../calls.ts'
import { allChanges, everything, history, numbered, readAll, say, transcript } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

/** Long enough for several records. */
const many = numbered(300)

export const upkeepLaws: Laws = {
  'L13: finds nothing wrong with a healthy session': async ({ store }) => {
    await setScene(store, 's')
    const entries = (await allChanges(store, 's')).length
    expect(await store.verify('s')).toEqual({ sessions: 1, entries, problems: [] })
    expect(await store.verify()).toEqual({ sessions: 1, entries, problems: [] })
    expect(await store.repair('s')).toEqual({ sessions: 1, entries, problems: [], repaired: 0 })
  },

  'L13: finds nothing wrong with a session that is being written, and repairs nothing': needs(
    ['newestOnly'],
    async ({ store }) => {
      const entries = await say(store, 's', many)
      const reports = [store.verify('s'), store.repair('s'), store.verify()]
      for (let i = 0; i < 10; i++) {
        await say(store, 's', [`meanwhile ${i}`])
        await store.edit('s', entries[i]!, { role: 'user', content: `edited ${i}` })
      }
      for (const { problems } of await Promise.all(reports)) expect(problems).toEqual([])
      const texts = await transcript(store, 's')
      expect([texts.length, texts[9], texts.at(-1)]).toEqual([310, 'edited 9', 'meanwhile 9'])
      expect((await store.verify('s')).problems).toEqual([])
    },
  ),

  'L13: finds nothing wrong after every kind of change': async ({ store }) => {
    const { first, branch, checkpoint, draft } = await setScene(store, 's')
    await store.edit('s', first, { role: 'user', content: 'edited' })
    await store.switchBranch('s', branch)
    await say(store, 's', numbered(20))
    await store.truncateHistory('s', 5)
    await store.setCompaction('s', { summary: 'x', keepLast: 2 })
    await store.restoreCheckpoint('s', checkpoint)
    await store.sealDraft('s', draft)
    await store.reclaim('s')
    await store.delete('s')
    await store.undelete('s')
    const before = await everything(store, 's')
    expect(await store.verify()).toEqual({ sessions: 1, entries: (await allChanges(store, 's')).length, problems: [] })
    expect((await store.usage('s')).entries).toBe((await allChanges(store, 's')).length)
    expect(await store.repair()).toMatchObject({ problems: [], repaired: 0 })
    expect(await everything(store, 's')).toEqual(before)
  },

  'L13: skips a record that cannot be read, and counts it': needs(
    ['damage', 'newestOnly'],
    async ({ store, damage }) => {
      await say(store, 's', many)
      await damage('s')
      const page = await store.read('s', { after: '', limit: 1_000 })
      expect(page.skipped).toBe(1)
      const texts = page.entries.map(({ message }) => message?.content as string)
      expect(texts.length).toBeGreaterThan(0)
      expect(texts.length).toBeLessThan(many.length)
      expect(texts).toEqual(many.slice(-texts.length))
      expect(await history(store, 's')).toEqual(texts)
      expect((await readAll(store, 's', { limit: 7 })).length).toBe(texts.length)
    },
  ),

  'L13: continues a session with a record that cannot be read': needs(
    ['damage', 'newestOnly'],
    async ({ store, damage }) => {
      const entries = await say(store, 's', many)
      await damage('s')
      await say(store, 's', ['next'])
      await store.edit('s', entries[299]!, { role: 'user', content: 'edited' })
      await store.truncateHistory('s', 50)
      const texts = await transcript(store, 's')
      expect([texts.length, ...texts.slice(-2)]).toEqual([50, 'edited', 'next'])
      await store.openBranch('s', { after: entries[298]! })
      await say(store, 's', ['side'])
      expect((await transcript(store, 's')).at(-1)).toBe('side')
    },
  ),

  'L13: reports what cannot be read, sets it aside, and counts again': needs(
    ['damage', 'newestOnly', 'oneHistory'],
    async ({ store, damage }) => {
      await say(store, 's', many)
      await say(store, 'neighbour', ['a'])
      await damage('s')
      const { problems } = await store.verify('s')
      expect(problems.map(({ key, kind }) => [key, kind])).toContainEqual(['s', 'unreadable'])
      for (const { message } of problems) expect(message).toEqual(expect.stringMatching(/./))
      expect((await store.verify('neighbour')).problems).toEqual([])
      const left = await transcript(store, 's')
      expect((await store.repair()).repaired).toBeGreaterThan(0)
      expect((await store.verify()).problems.filter(({ kind }) => kind !== 'gap')).toEqual([])
      expect(await store.read('s')).toMatchObject({ skipped: 0 })
      expect(await transcript(store, 's')).toEqual(left)
      expect((await store.getMeta('s'))?.messageCount).toBe(left.length)
      await say(store, 's', ['next'])
      expect(await transcript(store, 's')).toEqual([...left, 'next'])
    },
  ),

  'L13: takes lost entries again from another device': needs(
    ['damage', 'newestOnly'],
    async ({ store, damage, openElsewhere }) => {
      const other = await openElsewhere()
      await say(store, 's', many)
      const entries = await allChanges(store, 's')
      await other.merge('s', entries)
      await damage('s')
      await store.repair('s')
      await store.merge('s', await allChanges(other, 's'))
      expect(await transcript(store, 's')).toEqual(many)
      expect((await store.getMeta('s'))?.messageCount).toBe(many.length)
      expect((await store.verify('s')).problems).toEqual([])
    },
  ),

  'L13: leaves the neighbours of a damaged session alone': needs(
    ['damage', 'newestOnly', 'oneHistory'],
    async ({ store, damage }) => {
      await say(store, 's', many)
      await setScene(store, 'neighbour')
      const before = await everything(store, 'neighbour')
      await damage('s')
      await store.repair()
      expect(await everything(store, 'neighbour')).toEqual(before)
      expect((await store.listSessions()).total).toBe(2)
    },
  ),

  'L13: opens with a damaged session, and lists it': needs(
    ['damage', 'reopen', 'newestOnly', 'oneHistory'],
    async ({ store, damage, reopen }) => {
      await say(store, 's', many)
      await say(store, 'neighbour', ['a'])
      await store.close()
      await damage('s')
      const again = await reopen()
      expect((await again.listSessions()).sessions.map(({ key }) => key).sort()).toEqual(['neighbour', 's'])
      expect((await transcript(again, 's')).at(-1)).toBe('m299')
      expect(await transcript(again, 'neighbour')).toEqual(['a'])
    },
  ),

  'L1: measures what is stored': needs(['oneHistory'], async ({ store }) => {
    expect(await store.usage()).toMatchObject({ sessions: 0, entries: 0, entryBytes: 0, blobBytes: 0, draftBytes: 0 })
    await say(store, 's', ['x'.repeat(1_000)])
    await say(store, 't', ['y'.repeat(500)])
    const draft = await store.openDraft('s', { role: 'assistant' })
    await store.writeDraft('s', draft, 0, { text: 'z'.repeat(300) })
    const [whole, one] = [await store.usage(), await store.usage('t')]
    expect([whole.sessions, whole.entries, one.sessions, one.entries]).toEqual([2, 2, 1, 1])
    expect(whole.entryBytes).toBeGreaterThanOrEqual(1_500)
    expect(whole.entryBytes).toBeLessThan(2_500)
    expect(one.entryBytes).toBeGreaterThanOrEqual(500)
    expect(one.entryBytes).toBeLessThan(1_000)
    expect(whole.draftBytes).toBeGreaterThanOrEqual(300)
  }),

  'L1: reports the largest sessions, including deleted ones, and what could be freed': needs(
    ['oneHistory'],
    async ({ store }) => {
      await say(store, 'small', ['x'])
      await say(store, 'large', ['y'.repeat(3_000)])
      await say(store, 'gone', ['z'.repeat(2_000)])
      await store.updateMeta('small', { title: 'Small', archived: true, tags: ['t'] })
      await store.delete('gone')
      const usage = await store.usage()
      expect(usage.largest.map(({ key }) => key)).toEqual(['large', 'gone', 'small'])
      expect(usage.largest[2]).toMatchObject({
        title: 'Small',
        archived: true,
        tags: ['t'],
        entries: (await store.usage('small')).entries,
      })
      expect(usage.largest.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(usage.entryBytes)
      expect(usage.kinds.entries).toEqual({ count: usage.entries, bytes: usage.entryBytes })
      expect(usage.reclaimable).toMatchObject({
        deleted: { sessions: 1, bytes: usage.largest[1]!.bytes },
        archived: { sessions: 1 },
      })
      expect((await store.usage(undefined, { largest: 1 })).largest.map(({ key }) => key)).toEqual(['large'])
      expect((await store.usage('small')).largest.map(({ key }) => key)).toEqual(['small'])
      await expect(store.usage(undefined, { largest: -1 })).rejects.toMatchObject({ name: 'InvalidInput' })
    },
  ),
}
