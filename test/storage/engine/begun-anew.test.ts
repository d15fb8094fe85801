import { expect, it } from 'vitest'
import type { SessionChange, StoreChange } from '../../../src/contract/change.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createCoreStore } from '../../../src/storage/core-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { allChanges, numbered, say } from '../../../src/testing/helpers.ts'

const isSession = (change: StoreChange): change is SessionChange => change.type === 'session'

/** A store that hears what others announce, and the function that tells it. */
function openFollower(backend: ReturnType<typeof createMemoryBackend>) {
  let hear: (change: StoreChange) => void = () => undefined
  const store = createCoreStore(
    backend,
    { follow: (listener) => void (hear = listener) },
    () => ({}),
    async () => undefined,
  )
  return { store, hear: (change: StoreChange) => hear(change) }
}

/**
 * A store that reclaims session `k`. Another one purges it and begins it anew as soon as a part of it was read, once a
 * number of transactions was made.
 */
function reclaimWhileBegunAnew(
  backend: ReturnType<typeof createMemoryBackend>,
  commits: number,
  begin: (other: SessionStore) => Promise<unknown>,
) {
  const other = createSessionStore(backend)
  let [left, isBegun] = [commits, false]
  const store = createSessionStore({
    ...backend,
    commit: (batch, durability) => {
      left -= 1
      return backend.commit(batch, durability)
    },
    readRange: async (read) => {
      const found = await backend.readRange(read)
      if (left > 0 || isBegun || read.lane < 0) return found
      isBegun = true
      await other.purge('k')
      await begin(other)
      return found
    },
  })
  return { other, erased: store.reclaim('k') }
}

/** A store whose session `k`, of three messages, is begun anew with a call that waits for the end of its erasure. */
async function eraseWhileAppending(onChange: (change: StoreChange) => void = () => undefined) {
  const backend = createMemoryBackend()
  let appending: Promise<unknown> | undefined
  const store = createCoreStore(
    {
      ...backend,
      commit: (batch, durability) => {
        if (batch.erase.length > 0) appending = store.addMessage('k', 'user', 'after')
        return backend.commit(batch, durability)
      },
    },
    { onChange, follow: () => undefined },
    () => ({}),
    async () => undefined,
  )
  for (const text of ['one', 'two', 'three']) await store.addMessage('k', 'user', text)
  await store.listSessions()
  await store.purge('k')
  await appending
  return store
}

it('announces that a session was erased before what begins it anew, although that was asked for meanwhile', async () => {
  const titles: (string | undefined)[] = []
  await eraseWhileAppending((change) => void (isSession(change) && titles.push(change.listing?.title)))
  expect(titles).toEqual(['one', 'one', 'one', undefined, 'after'])
})

it('lists a session that is begun anew while it is erased', async () => {
  const store = await eraseWhileAppending()
  expect((await store.listSessions()).sessions.map(({ title }) => title)).toEqual(['after'])
})

/** What two tabs announce: one erases a session that has three messages, and the other one begins it anew. */
async function eraseAndBegin(backend: ReturnType<typeof createMemoryBackend>) {
  const changes: SessionChange[] = []
  const onChange = (change: StoreChange) => void (isSession(change) && changes.push(change))
  const [eraser, beginner] = [createSessionStore(backend, { onChange }), createSessionStore(backend, { onChange })]
  for (const text of ['one', 'two', 'three']) await eraser.addMessage('k', 'user', text)
  const before = changes.splice(0)
  return {
    before,
    change: async () => {
      await eraser.purge('k')
      await beginner.addMessage('k', 'user', 'after')
      const [erased, begun] = changes
      return { erased: erased!, begun: begun! }
    },
  }
}

it('lists what another tab began anew, whichever it hears of first: that, or that it was erased', async () => {
  for (const order of ['as it was', 'the other way round'] as const) {
    const backend = createMemoryBackend()
    const { change } = await eraseAndBegin(backend)
    const { store, hear } = openFollower(backend)
    expect((await store.listSessions()).sessions.map(({ title }) => title)).toEqual(['one'])
    const { erased, begun } = await change()
    for (const one of order === 'as it was' ? [erased, begun] : [begun, erased]) {
      hear(one)
      await store.listSessions()
    }
    expect((await store.listSessions()).sessions.map(({ title }) => title)).toEqual(['after'])
  }
})

it('lists no session of which it hears late what was written before it was erased', async () => {
  const backend = createMemoryBackend()
  const { before, change } = await eraseAndBegin(backend)
  const { store, hear } = openFollower(backend)
  await store.listSessions()
  const { erased, begun } = await change()
  hear(erased)
  hear(before.at(-1)!)
  expect((await store.listSessions()).sessions).toEqual([])
  hear(begun)
  expect((await store.listSessions()).sessions.map(({ title }) => title)).toEqual(['after'])
})

it('reads nothing of the erased session for whoever hears that it was erased', async () => {
  const backend = createMemoryBackend()
  const seen: unknown[] = []
  const store = createSessionStore(backend, {
    follow: () => undefined,
    onChange: (change) => {
      if (isSession(change) && change.listing === undefined) seen.push(store.getVector('k', { isKey: true }))
    },
  })
  await store.addMessage('k', 'user', 'one')
  await store.purge('k')
  expect(await Promise.all(seen)).toEqual([undefined])
})

it('uses no address of what was erased, where another tab erased it and began it anew', async () => {
  const backend = createMemoryBackend()
  const heard: ((change: StoreChange) => void)[] = []
  const open = (at: number) =>
    createSessionStore(backend, {
      follow: (listener) => void (heard[at] = listener),
      onChange: (change) => heard[1 - at]?.(change),
    })
  const [one, other] = [open(0), open(1)]
  for (const text of ['before', 'before that', 'and after']) await one.addMessage('k', 'user', text)
  const erased = (await one.getVector('k'))!
  await other.purge('k')
  await other.addMessage('k', 'user', 'begun anew')
  await one.addMessage('k', 'user', 'there, too')
  const writers = Object.keys((await other.getVector('k'))!)
  expect(writers.filter((writer) => writer in erased)).toEqual([])
  expect((await one.getHistory('k')).map(({ content }) => content)).toEqual(['begun anew', 'there, too'])
})

it('lists no session that was erased, though its last change is heard after the end of the one begun since', async () => {
  const backend = createMemoryBackend()
  const { store, hear } = openFollower(backend)
  const changes: SessionChange[] = []
  const other = createSessionStore(backend, { onChange: (change) => void (isSession(change) && changes.push(change)) })
  await store.listSessions()
  for (const text of ['one', 'two']) await other.addMessage('k', 'user', text)
  await other.purge('k')
  await other.addMessage('k', 'user', 'begun anew')
  await other.purge('k')
  const [first, late, firstEnd, anew, end] = changes as [SessionChange, ...SessionChange[]]
  for (const change of [first, firstEnd!, anew!, end!, late!]) hear(change)
  expect((await store.listSessions()).sessions).toEqual([])
})

it('answers no call from an erased session, where the one begun anew has as many versions', async () => {
  const backend = createMemoryBackend()
  const store = createSessionStore(backend, { follow: () => undefined })
  const call = () => store.addMessage('k', 'user', 'asked', { operationId: 'x' })
  await call()
  const other = createSessionStore(backend)
  await other.purge('k')
  await other.addMessage('k', 'user', 'begun anew')
  await call()
  expect((await other.getHistory('k')).map(({ content }) => content)).toEqual(['begun anew', 'asked'])
})

it.each(['as many versions', 'an import of its entries'])(
  'erases nothing of a session that is begun anew with %s while the one before is reclaimed',
  async (how) => {
    const backend = createMemoryBackend()
    const store = createSessionStore(backend)
    await say(store, 'k', numbered(2100))
    await store.truncateHistory('k', 10)
    const entries = await allChanges(store, 'k')
    const { other, erased } = reclaimWhileBegunAnew(backend, 1, async (beginner) => {
      if (how === 'an import of its entries') await beginner.merge('k', entries)
      else for (const text of ['one', 'two', 'three']) await say(beginner, 'k', [text])
    })
    expect(await erased).toBe(2048)
    expect((await other.verify()).problems).toEqual([])
  },
)

it('purges nothing of a session that is begun anew while it is looked for what nothing shows', async () => {
  const backend = createMemoryBackend()
  const elsewhere = createSessionStore(createMemoryBackend())
  await say(elsewhere, 'k', ['shown', 'hidden'])
  await elsewhere.truncateHistory('k', 1)
  // Both have the same version of the row that decides about lines.
  await createSessionStore(backend).merge('k', (await elsewhere.changes('k')).entries)
  const { other, erased } = reclaimWhileBegunAnew(backend, 0, (beginner) => say(beginner, 'k', ['begun anew']))
  expect(await erased).toBe(0)
  expect((await other.verify()).problems).toEqual([])
})

it('reports no problem of a session that was purged and begun anew while it was verified', async () => {
  const backend = createMemoryBackend()
  const other = createSessionStore(backend)
  let isBegun = false
  const store = createSessionStore({
    ...backend,
    readRange: async (read) => {
      if (!isBegun) {
        isBegun = true
        await other.purge('k')
        for (const text of ['four', 'five', 'six']) await other.addMessage('k', 'user', text)
      }
      return backend.readRange(read)
    },
  })
  for (const text of ['one', 'two', 'three']) await store.addMessage('k', 'user', text)
  expect((await store.verify('k')).problems).toEqual([])
  expect((await store.verify('k')).entries).toBe(3)
})
