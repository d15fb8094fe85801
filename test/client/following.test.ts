import { expect, it, vi } from 'vitest'
import { type ChangeFeed, createChangeFeed } from '../../src/client/session/change-feed.ts'
import { createLiveQuery, type LiveSource } from '../../src/client/session/live-query.ts'
import { createLocalDrafts } from '../../src/client/session/local-drafts.ts'
import { createSessionLists } from '../../src/client/session/session-lists.ts'
import { createTranscript } from '../../src/client/session/transcript.ts'
import type { TranscriptSnapshot } from '../../src/client/session-contract.ts'
import type { StoreChange } from '../../src/contract/change.ts'
import type { SessionPage } from '../../src/contract/store/session-metadata.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { nextReported } from '../support/next-reported.ts'

/** A store whose changes reach nobody by themselves. */
function createQuietStore(): { readonly store: SessionStore; readonly changes: StoreChange[] } {
  const changes: StoreChange[] = []
  return { store: createSessionStore(createMemoryBackend(), { onChange: (change) => changes.push(change) }), changes }
}
/** A store whose drafts can't be read while it is broken. */
function createBreakable(store: SessionStore): { readonly store: SessionStore; isBroken: boolean } {
  const listDrafts: SessionStore['listDrafts'] = async (key) => {
    if (breakable.isBroken) throw new Error('The store is broken.')
    return store.listDrafts(key)
  }
  const breakable = { store: { ...store, listDrafts }, isBroken: false }
  return breakable
}
const contents = (snapshot: TranscriptSnapshot | undefined): unknown[] =>
  (snapshot?.entries ?? []).map(({ message }) => message?.content)
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

it('reads a transcript again when a change was missed', async () => {
  const { store, changes } = createQuietStore()
  const feed = createChangeFeed()
  await store.addMessage('k', 'user', 'a')
  const transcript = createTranscript({ store, feed, key: 'k', last: 50 }, () => undefined)
  await transcript.ready()
  await store.addMessage('k', 'user', 'lost')
  await store.addMessage('k', 'user', 'heard')
  feed.emit(changes.at(-1)!)
  await settled()
  expect(contents(transcript.getSnapshot())).toEqual(['a', 'lost', 'heard'])
  feed.close()
})

it('shows an entry once, however often it is told of it', async () => {
  const { store, changes } = createQuietStore()
  const feed = createChangeFeed()
  await store.addMessage('k', 'user', 'a')
  const transcript = createTranscript({ store, feed, key: 'k', last: 50 }, () => undefined)
  await transcript.ready()
  await store.addMessage('k', 'user', 'b')
  for (const change of [...changes, ...changes, ...changes]) feed.emit(change)
  await settled()
  expect(contents(transcript.getSnapshot())).toEqual(['a', 'b'])
  feed.close()
})

it('leaves what sorts before its part of the transcript to loadEarlier', async () => {
  const { store, changes } = createQuietStore()
  const feed = createChangeFeed()
  for (const text of ['a', 'b', 'c', 'd']) await store.addMessage('k', 'user', text)
  const [first] = (await store.read('k', { after: '', limit: 1 })).entries
  const transcript = createTranscript({ store, feed, key: 'k', last: 2 }, () => undefined)
  await transcript.ready()
  await store.addMessage('k', 'user', 'e')
  const change = changes.at(-1)!
  feed.emit(change.type === 'session' ? { ...change, entries: [first!, ...(change.entries ?? [])] } : change)
  await settled()
  expect(contents(transcript.getSnapshot())).toEqual(['c', 'd', 'e'])
  feed.close()
})

it('keeps what a draft said while the drafts were being listed', async () => {
  const { store } = createQuietStore()
  const feed = createChangeFeed()
  const transcript = createTranscript({ store, feed, key: 'k', last: 50 }, () => undefined)
  const view = { id: 'd', branch: '', role: 'assistant', text: 'half', reasoning: '', parts: [], startedAt: 1, next: 1 }
  feed.emit({ type: 'draft', key: 'k', draft: 'd', view })
  expect((await transcript.ready()).drafts).toEqual([view])
  feed.emit({ type: 'draft', key: 'k', draft: 'd' })
  await settled()
  expect(transcript.getSnapshot()?.drafts).toEqual([])
  feed.close()
})

it('lists the sessions again when one changes while they are being listed', async () => {
  const { store } = createQuietStore()
  const feed = createChangeFeed()
  const totals: number[] = []
  const listing = {
    ...store,
    listSessions: async () => {
      const page = await store.listSessions()
      if (totals.length === 0 && page.total === 0) {
        await store.addMessage('k', 'user', 'meanwhile')
        feed.emit({ type: 'session', key: 'k', session: 1, version: 1, rows: [], reload: false })
      }
      return page
    },
  }
  createSessionLists(listing, feed).follow(
    {},
    { publish: ({ total }: SessionPage) => totals.push(total), fail: () => undefined },
  )
  await settled()
  expect(totals).toEqual([0, 1])
  feed.close()
})

it('reads the list once for all who watch the same page of it', async () => {
  const { store } = createQuietStore()
  const feed = createChangeFeed()
  let readings = 0
  const counting = { ...store, listSessions: async () => (readings++, store.listSessions()) }
  const lists = createSessionLists(counting, feed)
  const totals: number[][] = []
  const watch = (): (() => void) => {
    const seen: number[] = []
    totals.push(seen)
    return lists.follow({ limit: 10 }, { publish: ({ total }) => seen.push(total), fail: () => undefined })
  }
  const stops = Array.from({ length: 500 }, watch)
  await settled()
  await store.addMessage('k', 'user', 'new')
  feed.emit({ type: 'session', key: 'k', session: 1, version: 1, rows: [], reload: false })
  await settled()
  expect(readings).toBe(2)
  expect(new Set(totals.map(String))).toEqual(new Set(['0,1']))
  // Who leaves hears no more, and the last one ends the following.
  for (const stop of stops) stop()
  feed.emit({ type: 'session', key: 'k', session: 1, version: 2, rows: [], reload: false })
  await settled()
  expect(readings).toBe(2)
  feed.close()
})

it('gives who comes later a page that was read since', async () => {
  const { store } = createQuietStore()
  const feed = createChangeFeed()
  const lists = createSessionLists(store, feed)
  const seen: number[] = []
  lists.follow({}, { publish: () => undefined, fail: () => undefined })
  await settled()
  // Stored, and not heard of yet.
  await store.addMessage('k', 'user', 'new')
  lists.follow({}, { publish: ({ total }) => seen.push(total), fail: () => undefined })
  await settled()
  expect(seen).toEqual([1])
  feed.close()
})

/** A live query of a number, and what feeds it. */
function createNumber(): {
  readonly query: ReturnType<typeof createLiveQuery<number>>
  readonly source: LiveSource<number>
  readonly feed: ChangeFeed
} {
  let source: LiveSource<number> | undefined
  const feed = createChangeFeed()
  const query = createLiveQuery<number>(feed.ending, (given) => {
    source = given
    return () => undefined
  })
  return { query, source: source!, feed }
}

it('leaves nothing behind with what ends it', () => {
  const feed = createChangeFeed()
  const added = vi.spyOn(feed.ending, 'addEventListener')
  const removed = vi.spyOn(feed.ending, 'removeEventListener')
  createLiveQuery<number>(feed.ending, () => () => undefined)[Symbol.dispose]()
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, listener]) => listener))
  feed.close()
})

it('tells of a value once', () => {
  const { query, source } = createNumber()
  let calls = 0
  const leave = query.subscribe(() => calls++)
  for (const value of [1, 1, 2]) source.publish(value)
  expect([calls, query.getSnapshot()]).toEqual([2, 2])
  leave()
  source.publish(3)
  expect(calls).toBe(2)
})

it('gives a slow reader the newest value only', async () => {
  const { query, source, feed } = createNumber()
  const seen: number[] = []
  source.publish(1)
  const reading = (async () => {
    for await (const value of query) {
      seen.push(value)
      await settled()
    }
  })()
  await Promise.resolve()
  for (const value of [2, 3, 4]) source.publish(value)
  await new Promise((resolve) => setTimeout(resolve, 50))
  feed.close()
  await reading
  expect(seen).toEqual([1, 4])
})

it('is ready with its first value, or says why there is none', async () => {
  const good = createNumber()
  setTimeout(() => good.source.publish(7))
  expect(await good.query.ready()).toBe(7)
  const bad = createNumber()
  bad.source.fail(new Error('can not be read'))
  await expect(bad.query.ready()).rejects.toThrow('can not be read')
  const ended = createNumber()
  ended.query[Symbol.dispose]()
  await expect(ended.query.ready()).rejects.toMatchObject({ name: 'StorageClosed' })
})

it('follows a history that moves to another session', async () => {
  const { store, changes } = createQuietStore()
  const feed = createChangeFeed()
  await store.addMessage('a:old', 'user', 'a')
  const transcript = createTranscript({ store, feed, key: 'a:old', last: 50 }, () => undefined)
  await transcript.ready()
  const from = changes.length
  expect(await store.ensureSessionMetadata('new', undefined, ['a:old'])).toMatchObject({ promoted: 'a:old' })
  await store.addMessage('new', 'user', 'b')
  const draft = await store.openDraft('new', { role: 'assistant' })
  for (const change of changes.slice(from)) feed.emit(change)
  await settled()
  expect(contents(transcript.getSnapshot())).toEqual(['a', 'b'])
  await store.addMessage('new', 'user', 'c')
  feed.emit(changes.at(-1)!)
  await settled()
  expect(contents(transcript.getSnapshot())).toEqual(['a', 'b', 'c'])
  expect(transcript.getSnapshot()?.drafts).toMatchObject([{ id: draft }])
  feed.close()
})

it('reads a transcript again at the next change when reading it has failed', async () => {
  const { store, changes } = createQuietStore()
  const feed = createChangeFeed()
  await store.addMessage('k', 'user', 'a')
  const breakable = createBreakable(store)
  const transcript = createTranscript({ store: breakable.store, feed, key: 'k', last: 50 }, () => undefined)
  await transcript.ready()
  const draft = await store.openDraft('k', { role: 'assistant' })
  for (const change of changes.slice(-2)) feed.emit(change)
  await settled()
  await store.addMessage('k', 'user', 'b')
  breakable.isBroken = true
  feed.emit({ type: 'notice', name: 'workerRestarted', message: '' })
  await settled()
  expect(transcript.getError()?.message).toBe('The store is broken.')
  expect(contents(transcript.getSnapshot())).toEqual(['a'])
  breakable.isBroken = false
  await store.writeDraft('k', draft, 0, { text: 'half' })
  feed.emit(changes.findLast(({ type }) => type === 'draft')!)
  await settled()
  expect(contents(transcript.getSnapshot())).toEqual(['a', 'b'])
  expect(transcript.getSnapshot()?.drafts).toMatchObject([{ id: draft, text: 'half' }])
  expect(transcript.getError()).toBeUndefined()
  feed.close()
})

it('shows how a reply grows that this page streams, and still says that the rest could not be read', async () => {
  const { store, changes } = createQuietStore()
  const feed = createChangeFeed()
  await store.addMessage('k', 'user', 'a')
  const breakable = createBreakable(store)
  const draft = await store.openDraft('k', { role: 'assistant' })
  const local = createLocalDrafts()
  const given = { store: breakable.store, feed, key: 'k', last: 50, local }
  const transcript = createTranscript(given, () => undefined)
  await transcript.ready()
  breakable.isBroken = true
  feed.emit({ type: 'notice', name: 'workerRestarted', message: '' })
  await settled()
  local.grow('k', draft, [{ type: 'text', text: 'half' }])
  await vi.waitFor(() => expect(transcript.getSnapshot()?.drafts).toMatchObject([{ text: 'half' }]))
  expect(transcript.getError()?.message).toBe('The store is broken.')
  breakable.isBroken = false
  feed.emit(changes.at(-1)!)
  await vi.waitFor(() => expect(transcript.getError()).toBeUndefined())
  feed.close()
})

it('tells every listener of a live query, and reports what one throws', async () => {
  let source: LiveSource<number> | undefined
  const query = createLiveQuery<number>(new AbortController().signal, (given) => {
    source = given
    return () => undefined
  })
  const next = query[Symbol.asyncIterator]().next()
  const mistake = new Error('A listener of the app is broken.')
  query.subscribe(() => {
    throw mistake
  })
  const heard = vi.fn()
  query.subscribe(heard)
  const reported = nextReported()
  source!.publish(1)
  expect(heard).toHaveBeenCalledOnce()
  expect(await next).toEqual({ done: false, value: 1 })
  expect(await reported).toBe(mistake)
})

it('tells why a live query could not be read again, and keeps its value, until it can', async () => {
  let source: LiveSource<{ readonly count: number }> | undefined
  const query = createLiveQuery<{ readonly count: number }>(new AbortController().signal, (given) => {
    source = given
    return () => undefined
  })
  const seen: unknown[] = []
  query.subscribe(() => seen.push([query.getSnapshot()?.count, query.getError()?.message]))
  const one = { count: 1 }
  source!.publish(one)
  source!.fail(new Error('The store is broken.'))
  source!.publish(one)
  source!.publish(one)
  query.close()
  source!.fail(new Error('It is over.'))
  expect(seen).toEqual([
    [1, undefined],
    [1, 'The store is broken.'],
    [1, undefined],
    [1, undefined],
  ])
})
