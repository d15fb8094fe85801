import { expect, it } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { old, scope } from '../../src/testing/promoted-session.ts'
import { createJournalDevice, type JournalDevice, type JournalTab } from './support/journal-device.ts'
import { say, texts } from './support/talk.ts'
import { never, openTwo } from './support/two-journals.ts'

/** The ways in which the database gets what a tab has answered, and not by the tab's own plan. */
const ways = {
  'when its worker dies': async (device: JournalDevice, [one]: readonly JournalTab[]) => {
    one!.die()
    return (await device.open()).store
  },
  'when another tab writes to the session first': async (
    device: JournalDevice,
    [one, other]: readonly JournalTab[],
  ) => {
    await say(other!.store, old, 'by the other')
    await other!.store.flush()
    await one!.store.flush()
    await device.settled()
    return one!.store
  },
} as const

/** How the session that took over the history lets the old one be reachable again (L20). */
const ends = {
  'was erased': (store: SessionStore) => store.purge('new'),
  'gave up its key': (store: SessionStore) => store.updateMeta('new', { aliases: [] }),
} as const

for (const [end, letGo] of Object.entries(ends))
  it.each(Object.entries(ways))(
    `keeps what a tab has answered of a session after the one that took over its history ${end}, %s`,
    async (way, store) => {
      const device = createJournalDevice(`promoted ${end} ${way}`, never)
      const tabs = await openTwo(device)
      const [one] = tabs
      await say(one.store, old, 'before')
      await one.store.flush()
      await device.settled()
      await one.store.ensureSessionMetadata('new', scope, [old])
      await one.store.flush()
      await device.settled()
      await letGo(one.store)
      // The first write goes through the database.
      await say(one.store, old, 'again')
      await one.store.flush()
      await device.settled()
      const early = one.journal.answers()
      const [receipt] = (await say(one.store, old, 'answered')).entries
      expect(one.journal.answers()).toBe(early + 1)
      const shown = await store(device, tabs)
      expect(await texts(shown, old)).toContain('answered')
      expect(await texts(shown, 'new')).not.toContain('answered')
      const [next] = (await say(shown, old, 'next')).entries
      expect(next?.id).not.toBe(receipt?.id)
      expect((await shown.verify()).problems).toEqual([])
      for (const tab of [...tabs.map((open) => open.store), shown]) await tab.close()
    },
  )

it('opens, and keeps what was answered, where two devices have each let one session take over the other', async () => {
  const device = createJournalDevice('promoted in a circle', never)
  const [one, other] = await openTwo(device)
  const keys = ['chat:a', 'chat:b'] as const
  await say(one.store, keys[0], 'here')
  await one.store.ensureSessionMetadata(keys[1], undefined, [keys[0]])
  const elsewhere = createSessionStore(createMemoryBackend())
  await say(elsewhere, keys[1], 'elsewhere')
  await elsewhere.ensureSessionMetadata(keys[0], undefined, [keys[1]])
  for (const key of keys) await other.store.merge(key, (await elsewhere.changes(key, {})).entries, { isKey: true })
  await other.store.flush()
  await device.settled()
  for (const key of keys) await say(one.store, key, 'warm')
  await one.store.flush()
  await device.settled()
  const early = one.journal.answers()
  for (const key of keys) await say(one.store, key, `answered as ${key}`)
  expect(one.journal.answers()).toBe(early + 2)
  one.die()
  const { store } = await device.open()
  const all = await Promise.all((await store.listSessions()).sessions.map(({ key }) => texts(store, key)))
  expect(all.flat()).toEqual(expect.arrayContaining(keys.map((key) => `answered as ${key}`)))
  for (const tab of [one.store, other.store, store, elsewhere]) await tab.close()
})
