import { describe, expect, it } from 'vitest'
import type { AppendResult, EntryPage, ReadOptions } from '../../src/contract/store/session-log.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { old, scope } from '../../src/testing/promoted-session.ts'
import { createJournalDevice } from './support/journal-device.ts'
import { say, texts, textsElsewhere } from './support/talk.ts'
import { never, openTwo, warm } from './support/two-journals.ts'

describe('a journal', () => {
  it('answers an append without a transaction, and reads show it', async () => {
    const device = createJournalDevice('answers', never)
    const tab = await device.open()
    await warm(tab.store)
    const before = tab.transactions()
    await say(tab.store, 'a', 'early')
    await say(tab.store, 'a', 'early too')
    expect(tab.transactions()).toBe(before)
    expect(tab.journal.lag()?.writes).toBe(2)
    expect(await texts(tab.store, 'a')).toEqual(['first', 'second', 'early', 'early too'])
    expect(tab.transactions()).toBe(before + 1)
    expect(tab.journal.lag()).toBeUndefined()
    await tab.store.close()
  })

  it('answers nothing early any more when another tab encrypted the store', async () => {
    const device = createJournalDevice('sealed', never)
    const tab = await device.open()
    await warm(tab.store)
    tab.journal.hear({ type: 'notice', name: 'keysChanged', message: '' })
    const before = tab.transactions()
    await say(tab.store, 'new', 'not early')
    expect(tab.transactions()).toBeGreaterThan(before)
    expect(tab.journal.lag()).toBeUndefined()
    await tab.store.close()
  })

  it('keeps what it answered when its worker dies, for the next start to find', async () => {
    const device = createJournalDevice('dies', never)
    const tab = await device.open()
    await warm(tab.store)
    const [receipt] = (await say(tab.store, 'a', 'answered')).entries
    await say(tab.store, 'b', 'begun')
    tab.die()
    const next = await device.open()
    expect(await texts(next.store, 'a')).toEqual(['first', 'second', 'answered'])
    expect(await texts(next.store, 'b')).toEqual(['begun'])
    const page = await next.store.read('a', { last: 1 })
    expect(page.entries.at(-1)?.order).toBe(receipt?.order)
    expect((await next.store.verify()).problems).toEqual([])
    await next.store.close()
  })

  it('does not bring back what was erased after it was answered', async () => {
    const device = createJournalDevice('erased', never)
    const tab = await device.open()
    await warm(tab.store)
    await say(tab.store, 'a', 'answered')
    tab.die()
    const bare = await device.bare()
    await bare.purge('a')
    await bare.close()
    const next = await device.open()
    expect(await texts(next.store, 'a')).toEqual([])
    await next.store.close()
  })

  it('has entries arrive where they were told to be when another tab was faster', async () => {
    const device = createJournalDevice('arrives', never)
    const [one, other] = await openTwo(device)
    await one.store.flush()
    const [mine] = (await say(one.store, 'a', 'mine')).entries
    const [theirs] = (await say(other.store, 'a', 'theirs')).entries
    await one.store.flush()
    await other.store.flush()
    const shown = await one.store.read('a', { last: 10 })
    expect(shown.entries.map(({ order }) => order)).toEqual(expect.arrayContaining([mine?.order, theirs?.order]))
    expect(await texts(other.store, 'a')).toEqual(await texts(one.store, 'a'))
    expect(await texts(one.store, 'a')).toHaveLength(6)
    expect((await one.store.verify()).problems).toEqual([])
    await one.store.close()
    await other.store.close()
  })

  it('goes on after entries arrived: later appends stand after them', async () => {
    const device = createJournalDevice('goes-on', never)
    const [one, other] = await openTwo(device)
    await say(one.store, 'a', 'mine')
    await say(other.store, 'a', 'theirs')
    await other.store.flush()
    await one.store.flush()
    await say(one.store, 'a', 'last')
    await one.store.flush()
    expect((await texts(one.store, 'a')).at(-1)).toBe('last')
    expect((await one.store.verify()).problems).toEqual([])
    await one.store.close()
    await other.store.close()
  })

  it('tells other tabs of a change when the database has it', async () => {
    const device = createJournalDevice('told', never)
    const one = await device.open()
    const other = await device.open()
    await warm(one.store)
    await device.settled()
    expect(await texts(other.store, 'a')).toEqual(['first', 'second'])
    await say(one.store, 'a', 'third')
    expect(await texts(other.store, 'a')).toEqual(['first', 'second'])
    await one.store.flush()
    await device.settled()
    expect(await texts(other.store, 'a')).toEqual(['first', 'second', 'third'])
    await one.store.close()
    await other.store.close()
  })

  it('tells other tabs of a change although it has answered more since', async () => {
    const device = createJournalDevice('goes-on', never)
    const one = await device.open()
    const other = await device.open()
    await warm(one.store)
    await device.settled()
    expect(await texts(other.store, 'a')).toEqual(['first', 'second'])
    await say(one.store, 'a', 'third')
    const folded = one.store.flush()
    await say(one.store, 'a', 'fourth')
    await folded
    await device.settledBut(one)
    expect(await texts(other.store, 'a')).toEqual(['first', 'second', 'third'])
    await one.store.close()
    await other.store.close()
  })

  it('answers a repeated call from the journal’s operation', async () => {
    const device = createJournalDevice('repeated', never)
    const tab = await device.open()
    await warm(tab.store)
    // A page draws such an id for its worker's call.
    const call = { operationId: 'boot0.1' }
    const first = await tab.store.append('a', [{ type: 'message', message: { role: 'user', content: 'once' } }], call)
    tab.die()
    const next = await device.open()
    const again = await next.store.append('a', [{ type: 'message', message: { role: 'user', content: 'once' } }], call)
    expect(again.entries).toEqual(first.entries)
    expect(await texts(next.store, 'a')).toEqual(['first', 'second', 'once'])
    await next.store.close()
  })

  it('keeps what it answered while the database fails, and has it stored when that is well again', async () => {
    const device = createJournalDevice('fails', never)
    const tab = await device.open()
    await warm(tab.store)
    await say(tab.store, 'a', 'answered')
    tab.fail(true)
    expect(await texts(tab.store, 'a')).toEqual(['first', 'second', 'answered'])
    await expect(say(tab.store, 'a', 'refused')).rejects.toMatchObject({ name: 'StorageUnavailable' })
    expect(tab.journal.lag()?.writes).toBe(1)
    expect(tab.waits).toMatchObject([{ writes: 1 }])
    tab.fail(false)
    expect(await texts(tab.store, 'a')).toEqual(['first', 'second', 'answered'])
    expect(tab.waits).toEqual([tab.waits[0], undefined])
    await say(tab.store, 'a', 'again')
    expect(tab.journal.lag()?.writes).toBe(1)
    await tab.store.close()
    expect(await texts(await device.bare(), 'a')).toEqual(['first', 'second', 'answered', 'again'])
  })

  it('leaves ids that another tab may use as well to the database', async () => {
    const device = createJournalDevice('ids', never)
    const [one, other] = [await device.open(), await device.open()]
    await warm(one.store)
    await device.settled()
    const send = (store: SessionStore) =>
      store.append('a', [{ type: 'message', message: { role: 'user', content: 'once' } }], { operationId: 'server-id' })
    const [mine, theirs] = await Promise.all([send(one.store), send(other.store)])
    expect(mine.entries).toEqual(theirs.entries)
    expect(await texts(one.store, 'a')).toEqual(['first', 'second', 'once'])
    await one.store.close()
    await other.store.close()
  })

  it('has the database answer a strict append, because after a power cut a young file may be gone', async () => {
    const device = createJournalDevice('power', never)
    const tab = await device.open()
    await warm(tab.store)
    const before = tab.transactions()
    const message = { role: 'user', content: 'strict' } as const
    await tab.store.append('a', [{ type: 'message', message }], { durability: 'strict' })
    expect(tab.transactions()).toBe(before + 1)
    expect(tab.journal.lag()).toBeUndefined()
    await tab.store.close()
  })

  it('has everything stored before a strict write that the database answers', async () => {
    const device = createJournalDevice('strict', never)
    const tab = await device.open()
    await warm(tab.store)
    await say(tab.store, 'a', 'early')
    expect(tab.journal.lag()?.writes).toBe(1)
    await tab.store.updateMeta('b', { title: 'b' }, { durability: 'strict' }).catch(() => undefined)
    await tab.store.setHistory('c', [{ role: 'user', content: 'c' }], { durability: 'strict' })
    expect(tab.journal.lag()).toBeUndefined()
    await tab.store.close()
  })

  it('takes a session that another tab purged out of its list, with what it answered of it', async () => {
    const device = createJournalDevice('purged-elsewhere', never)
    const [one, other] = [await device.open(), await device.open()]
    await warm(one.store)
    await warm(one.store, 'b')
    await one.store.flush()
    await device.settled()
    await say(one.store, 'a', 'answered')
    await other.store.purge('a')
    await device.settledBut(one)
    await one.store.flush()
    await device.settled()
    for (const { store } of [one, other])
      expect((await store.listSessions({})).sessions.map(({ key }) => key)).toEqual(['b'])
    await one.store.close()
    await other.store.close()
  })

  it('does not make a session again that was purged before its creation was stored', async () => {
    const device = createJournalDevice('created', never)
    const one = await device.open()
    await warm(one.store)
    await say(one.store, 'new', 'created here')
    one.fail(true)
    await expect(one.store.flush()).rejects.toMatchObject({ name: 'StorageUnavailable' })
    // Another tab finds the tail of the journal, and its user purges the session.
    const other = await device.open()
    expect(await texts(other.store, 'new')).toEqual(['created here'])
    await other.store.purge('new')
    await device.settledBut(one)
    one.fail(false)
    await one.store.flush()
    expect(await texts(await device.bare(), 'new')).toEqual([])
    await one.store.close()
    await other.store.close()
  })

  it('stores what it can when one session is refused', async () => {
    const device = createJournalDevice('one-refused', never)
    const tab = await device.open()
    await warm(tab.store)
    await warm(tab.store, 'b')
    await say(tab.store, 'a', 'refused')
    await say(tab.store, 'b', 'stored')
    tab.fail(true, 'a')
    expect(await texts(tab.store, 'b')).toEqual(['first', 'second', 'stored'])
    expect(tab.journal.lag()?.writes).toBe(1)
    tab.fail(false)
    expect(await texts(tab.store, 'a')).toEqual(['first', 'second', 'refused'])
    await tab.store.close()
  })

  it('shows what it answered of a long session while the database fails, page by page', async () => {
    const device = createJournalDevice('shows', never)
    const tab = await device.open()
    const before = Array.from({ length: 200 }, (_, i) => `before ${i}`)
    await say(tab.store, 'a', ...before)
    await say(tab.store, 'a', 'one')
    const late = Array.from({ length: 100 }, (_, i) => `late ${i}`)
    await say(tab.store, 'b', 'new')
    for (const text of late) await say(tab.store, 'a', text)
    tab.fail(true)
    expect(await texts(tab.store, 'b')).toEqual(['new'])
    const textsOf = (page: EntryPage): string[] => page.entries.map(({ message }) => String(message?.content))
    const shown: string[] = []
    for (let read: ReadOptions = { last: 30 }; ; ) {
      const page = await tab.store.read('a', read)
      shown.unshift(...textsOf(page))
      if (!page.more) break
      read = { before: page.entries[0]!.order, limit: 30 }
    }
    expect(textsOf(await tab.store.read('a', { after: '', limit: 3 }))).toEqual(['before 0', 'before 1', 'before 2'])
    expect(shown).toEqual([...before, 'one', ...late])
    tab.fail(false)
    expect(await texts(tab.store, 'a')).toEqual(shown)
    expect((await tab.store.verify()).problems).toEqual([])
    await tab.store.close()
  })

  it('erases a session for good although the database takes nothing more of it, which may be what makes room', async () => {
    const device = createJournalDevice('makes-room', never)
    const tab = await device.open()
    await warm(tab.store)
    await say(tab.store, 'a', 'too much')
    tab.fail(true, 'a')
    await tab.store.purge('a')
    expect(await texts(tab.store, 'a')).toEqual([])
    expect(tab.journal.lag()).toBeUndefined()
    tab.fail(false)
    await tab.store.flush()
    expect(await texts(await device.bare(), 'a')).toEqual([])
    await tab.store.close()
  })

  it('does not bring back a purged session that only the journal had, whatever reads begin to fold meanwhile', async () => {
    const device = createJournalDevice('only-journal', never)
    const tab = await device.open()
    await warm(tab.store)
    await say(tab.store, 'new', 'too much')
    tab.fail(true, 'new')
    const purged = tab.store.purge('new')
    await Promise.all([purged, tab.store.listSessions({}), texts(tab.store, 'a')])
    tab.fail(false)
    await tab.store.flush()
    expect(await texts(await device.bare(), 'new')).toEqual([])
    await tab.store.close()
  })

  it('joins what it answers of a session that another tab has taken out of its journal and gone on with', async () => {
    const device = createJournalDevice('taken-out', never)
    const one = await device.open()
    await warm(one.store)
    await say(one.store, 'new', 'one')
    await say(one.store, 'new', 'two')
    // It takes the living tab's journal for that of a dead one.
    const other = await device.open()
    await say(one.store, 'new', 'three')
    await say(other.store, 'new', 'other')
    await other.store.flush()
    await one.store.flush()
    await device.settled()
    const shown = await texts(one.store, 'new')
    expect([...shown].sort()).toEqual(['one', 'other', 'three', 'two'])
    expect(await texts(other.store, 'new')).toEqual(shown)
    expect((await one.store.getMeta('new'))?.messageCount).toBe(4)
    expect((await one.store.verify()).problems).toEqual([])
    await one.store.close()
    await other.store.close()
  })
})

it('keeps all that two tabs have answered which began one session at once, also when one of them dies', async () => {
  for (const dies of [false, true]) {
    const device = createJournalDevice(`at-once-${dies}`, never)
    const [one, other] = await openTwo(device)
    for (const text of ['one', 'two', 'three']) await say(one.store, 'new', text)
    await say(other.store, 'new', 'other')
    await other.store.flush()
    if (dies) one.die()
    else await one.store.flush()
    const { store } = dies ? await device.open() : other
    await device.settled()
    expect((await texts(store, 'new')).sort()).toEqual(['one', 'other', 'three', 'two'])
    for (const tab of dies ? [other.store, store] : [one.store, other.store]) await tab.close()
  }
})

it('keeps what a tab has answered of a session to which it had not written before another one gave it a key', async () => {
  const device = createJournalDevice('promoted-meanwhile', never)
  const [one, other] = await openTwo(device)
  await say(other.store, old, 'by the other')
  await other.store.flush()
  await device.settled()
  await say(one.store, old, 'answered')
  await other.store.ensureSessionMetadata('new', scope, [old])
  await one.store.flush()
  await device.settled()
  for (const { store } of [one, other]) {
    expect(await texts(store, 'new')).toEqual(['by the other', 'answered'])
    await store.close()
  }
})

it('stores 2,000 calls of one moment once that are repeated because their worker died before it answered', async () => {
  const device = createJournalDevice('burst-repeated', never)
  const one = await device.open()
  await warm(one.store)
  const call = (store: SessionStore): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 2000 }, (_, i) => store.addMessage('a', 'user', `m${i}`, { operationId: `boot0.${i}` })),
    )
  await call(one.store)
  one.die()
  const { store } = await device.open()
  await call(store)
  expect((await store.getMeta('a'))?.messageCount).toBe(2002)
  await store.close()
})

it('stores a call once that was repeated while the journal with its first answer could not be read', async () => {
  const device = createJournalDevice('repeated', never)
  const one = await device.open()
  await warm(one.store)
  await one.store.addMessage('a', 'user', 'before', { operationId: 'boot0.76' })
  const messages = ['twice', 'twice too'].map(
    (content) => ({ type: 'message', message: { role: 'user', content } }) as const,
  )
  const repeat = (store: SessionStore): Promise<AppendResult> =>
    store.append('a', messages, { operationId: 'boot0.77' })
  await repeat(one.store)
  await one.store.addMessage('a', 'user', 'after', { operationId: 'boot0.78' })
  one.die()
  const { read } = device.folder
  device.folder.read = async (file) => (file.includes('boot0') ? Promise.reject(new Error('slow disk')) : read(file))
  const other = await device.open()
  device.folder.read = read
  const [again] = (await repeat(other.store)).entries
  await other.store.flush()
  const third = await device.open()
  const shown = await texts(third.store, 'a')
  expect([...shown].sort()).toEqual(['after', 'before', 'first', 'second', 'twice', 'twice too'])
  expect(await textsElsewhere(third.store, 'a')).toEqual(shown)
  const told = (await repeat(third.store)).entries
  expect(told[0]).toEqual(again)
  for (const { store } of [other, third]) await store.close()
  // Nor does the mirror give it back, once it was compared.
  await device.keep()
  expect((await texts(await device.restored(), 'a')).sort()).toEqual([...shown].sort())
})

it('keeps what was answered together with a call that was repeated, when the mirror is compared first', async () => {
  const device = createJournalDevice('answered-together', never)
  const one = await device.open()
  await warm(one.store)
  const call = (store: SessionStore, n: number): Promise<unknown> =>
    store.addMessage('a', 'user', `call ${n}`, { operationId: `boot0.${n}` })
  // Calls of one moment are written together.
  await Promise.all([call(one.store, 1), call(one.store, 2)])
  one.die()
  const { read } = device.folder
  let isSlow = true
  device.folder.read = async (file) =>
    isSlow && file.includes('boot0') ? Promise.reject(new Error('slow disk')) : read(file)
  const other = await device.open()
  isSlow = false
  await call(other.store, 1)
  await other.store.flush()
  await device.keep()
  const third = await device.open()
  expect((await texts(third.store, 'a')).sort()).toEqual(['call 1', 'call 2', 'first', 'second'])
  expect(await textsElsewhere(third.store, 'a')).toEqual(await texts(third.store, 'a'))
  for (const { store } of [other, third]) await store.close()
})
