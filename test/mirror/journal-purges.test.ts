import { expect, it } from 'vitest'
import { createJournalDevice } from './support/journal-device.ts'
import { say, texts } from './support/talk.ts'
import { never, openTwo, warm } from './support/two-journals.ts'

it('does not make a session again of which it had stored a part when another tab purged it', async () => {
  const device = createJournalDevice('steps', never)
  const [one, other] = await openTwo(device)
  // So many that they need two transactions: the first of them packs records.
  for (let i = 0; i < 150; i++) await say(one.store, 'new', `secret ${i}`)
  one.atNextTransaction(() => one.fail(true))
  await expect(one.store.flush()).rejects.toMatchObject({ name: 'StorageUnavailable' })
  expect((await texts(other.store, 'new')).length).toBeGreaterThan(0)
  await other.store.purge('new')
  one.fail(false)
  await one.store.flush()
  await device.settled()
  expect(await texts(other.store, 'new')).toEqual([])
  for (const { store } of [one, other]) await store.close()
})

it('stores the rest of what it answered after a part of it could not be stored', async () => {
  const device = createJournalDevice('rest', never)
  const [one, other] = await openTwo(device)
  for (let i = 0; i < 150; i++) await say(one.store, 'new', `text ${i}`)
  one.atNextTransaction(() => one.fail(true))
  await expect(one.store.flush()).rejects.toMatchObject({ name: 'StorageUnavailable' })
  await say(other.store, 'new', 'other')
  await other.store.flush()
  one.fail(false)
  await one.store.flush()
  await device.settled()
  const shown = await texts(other.store, 'new')
  expect(shown).toHaveLength(151)
  expect(shown.filter((text) => text !== 'other')).toEqual(Array.from({ length: 150 }, (_, i) => `text ${i}`))
  expect((await one.store.verify()).problems).toEqual([])
  for (const { store } of [one, other]) await store.close()
})

it.each([false, true])(
  'does not bring back what a dead tab’s journal still has of a purged session, begun anew: %s',
  async (isBegunAnew) => {
    const device = createJournalDevice(`tail-${isBegunAnew}`, never)
    const [one, other] = await openTwo(device)
    await say(one.store, 'a', 'refused')
    await say(one.store, 'new', 'secret')
    // The mark stays in front of what is refused.
    one.fail(true, 'a')
    expect(await texts(one.store, 'new')).toEqual(['secret'])
    await other.store.purge('new')
    if (isBegunAnew) await say(other.store, 'new', 'anew')
    await other.store.flush()
    one.die()
    const third = await device.open()
    expect(await texts(third.store, 'new')).toEqual(isBegunAnew ? ['anew'] : [])
    expect(await texts(third.store, 'a')).toContain('refused')
    for (const { store } of [other, third]) await store.close()
  },
)

it('does not bring back a purged session whose tail was stored by a tab that could not store all of it', async () => {
  const device = createJournalDevice('part-of-a-tail', never)
  const one = await device.open()
  await warm(one.store)
  await say(one.store, 'new', 'secret')
  await say(one.store, 'a', 'refused')
  // It is asleep, so that nobody else can write to its file.
  one.fail(true)
  const other = await device.open('a')
  expect(await texts(other.store, 'new')).toEqual(['secret'])
  await other.store.purge('new')
  const third = await device.open()
  expect(await texts(third.store, 'new')).toEqual([])
  expect(await texts(third.store, 'a')).toEqual(['first', 'second', 'refused'])
  one.die()
  for (const { store } of [other, third]) await store.close()
})

it('stores of a dead tab’s journal what it can when one session is refused, and the rest at the next start', async () => {
  const device = createJournalDevice('tail-around', never)
  const one = await device.open()
  await warm(one.store)
  await say(one.store, 'a', 'third')
  await say(one.store, 'b', 'one')
  await say(one.store, 'new', 'secret')
  await say(one.store, 'a', 'fourth')
  await say(one.store, 'b', 'two')
  one.die()
  const other = await device.open('a')
  expect(await texts(other.store, 'b')).toEqual(['one', 'two'])
  expect(await texts(other.store, 'new')).toEqual(['secret'])
  await other.store.purge('new')
  const third = await device.open()
  expect(await texts(third.store, 'a')).toEqual(['first', 'second', 'third', 'fourth'])
  expect(await texts(third.store, 'b')).toEqual(['one', 'two'])
  expect(await texts(third.store, 'new')).toEqual([])
  expect((await third.store.verify()).problems).toEqual([])
  for (const { store } of [other, third]) await store.close()
})

it('does not bring back a session of its own journal when its worker dies as soon as it is purged', async () => {
  const device = createJournalDevice('dies-purging', never)
  const one = await device.open()
  await warm(one.store)
  await say(one.store, 'new', 'secret')
  one.fail(true, 'new')
  await expect(one.store.flush()).rejects.toMatchObject({ name: 'StorageUnavailable' })
  one.atNextTransaction(() => one.die())
  await expect(one.store.purge('new')).rejects.toMatchObject({ name: 'StorageUnavailable' })
  const other = await device.open()
  expect(await texts(other.store, 'new')).toEqual([])
  await other.store.close()
})

it('mirrors what a tab had begun under the key of a session that another one purged before it knew of it', async () => {
  const device = createJournalDevice('begun-meanwhile', never)
  const [one, other] = await openTwo(device)
  await say(one.store, 'new', 'mine')
  await say(other.store, 'new', 'theirs')
  await other.store.purge('new')
  await one.store.flush()
  expect(await texts(one.store, 'new')).toEqual(['mine'])
  expect(await texts(await device.restored(), 'new')).toEqual(['mine'])
})

it('erases from the mirror what a tab had begun under a key together with another one that purged it', async () => {
  const device = createJournalDevice('begun-together', never)
  const [one, other] = await openTwo(device)
  await say(one.store, 'new', 'mine')
  await say(other.store, 'new', 'theirs')
  await other.store.flush()
  await one.store.flush()
  await device.settled()
  await other.store.purge('new')
  expect(await texts(await device.restored(), 'new')).toEqual([])
})

it('shows nothing of a purged session on top of the one that was begun anew under its key', async () => {
  const device = createJournalDevice('anew-below', never)
  const [one, other] = await openTwo(device)
  await warm(one.store, 'b')
  await one.store.flush()
  await device.settled()
  await say(one.store, 'b', 'secret')
  // The new session has as many versions as the old one had.
  const version = (await (await device.bare()).read('b', {})).version
  await other.store.purge('b')
  while ((await (await device.bare()).read('b', {})).version !== version) {
    await say(other.store, 'b', 'anew')
    await other.store.flush()
  }
  one.fail(true)
  await expect(texts(one.store, 'b')).rejects.toMatchObject({ name: 'StorageUnavailable' })
  one.fail(false)
  await one.store.flush()
  expect(new Set(await texts(one.store, 'b'))).toEqual(new Set(['anew']))
  for (const { store } of [one, other]) await store.close()
})

it('erases a session on a full disk, where nothing of it that waits can be stored, nor how far the journal is', async () => {
  const device = createJournalDevice('full-purge', never)
  const tab = await device.open()
  await warm(tab.store)
  await say(tab.store, 'a', 'waits')
  tab.fill()
  await tab.store.purge('a')
  expect(await texts(tab.store, 'a')).toEqual([])
  tab.die()
  const next = await device.open()
  expect(await texts(next.store, 'a')).toEqual([])
  await next.store.close()
})
