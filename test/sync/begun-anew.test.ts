import { expect, it } from 'vitest'
import type { SessionChange, StoreChange } from '../../src/contract/change.ts'
import type { VersionVector } from '../../src/contract/entry.ts'
import { isSessionError } from '../../src/contract/errors.ts'
import { writerKey } from '../../src/domain/address.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { connectedStore } from '../../src/sync/connected-store.ts'
import { createSync } from '../../src/sync/create-sync.ts'
import { createLocalSessions } from '../../src/sync/local-sessions.ts'
import { createPurgeAnnouncements } from '../../src/sync/purge-announcements.ts'
import { sessionDocumentId } from '../../src/sync/session-document-id.ts'
import type { SyncStore } from '../../src/sync/sync-contract.ts'
import { createHub } from './hub.ts'
import { createDevice, type Device, newDevice } from './synced-device.ts'

/** A store whose session `k` is erased and begun anew, and what it announces of that. */
async function openRenewed() {
  const changes: SessionChange[] = []
  const store = createSessionStore(createMemoryBackend(), {
    onChange: (change) => void (change.type === 'session' && changes.push(change)),
  })
  await store.addMessage('k', 'user', 'before')
  const renew = async () => {
    await store.purge('k')
    await store.addMessage('k', 'user', 'after')
    return changes.slice(1) as [SessionChange, SessionChange]
  }
  return { store, renew }
}

it('knows a session that was begun anew, although it heard last that the one before was erased', async () => {
  const { store, renew } = await openRenewed()
  const locals = createLocalSessions(store, sessionDocumentId)
  await locals.refresh()
  const [erased, begun] = await renew()
  locals.noteChange(begun)
  await locals.refresh()
  locals.noteChange(erased)
  await locals.refresh()
  expect(locals.all.get('k')).toMatchObject({ listing: begun.listing, vector: await store.getVector('k') })
  await store.purge('k')
  locals.noteChange(erased)
  await locals.refresh()
  expect(locals.all.has('k')).toBe(false)
  expect(locals.isStale()).toBe(false)
})

it('knows no session that was erased while it was read', async () => {
  const { store } = await openRenewed()
  const listing = (await store.listSessions()).sessions[0]!
  let erase: (() => Promise<void>) | undefined
  const slow = {
    listSessions: store.listSessions,
    getVector: async (...asked: Parameters<typeof store.getVector>) => {
      const vector = await store.getVector(...asked)
      await erase?.()
      return vector
    },
  }
  const locals = createLocalSessions(slow, sessionDocumentId)
  await locals.refresh()
  erase = async () => {
    erase = undefined
    await store.purge('k')
    locals.noteChange({ key: 'k' })
  }
  locals.noteChange({ key: 'k', listing })
  await locals.refresh()
  await locals.refresh()
  expect(locals.all.has('k')).toBe(false)
})

it('reads a session that was begun anew once more where it could not be read before it heard of the erasure', async () => {
  const { store, renew } = await openRenewed()
  let isFailing = false
  const locals = createLocalSessions(
    {
      listSessions: store.listSessions,
      getVector: async (...asked) => {
        if (isFailing) throw new Error('It cannot be read now.')
        return store.getVector(...asked)
      },
    },
    sessionDocumentId,
  )
  await locals.refresh()
  const [erased, begun] = await renew()
  isFailing = true
  locals.noteChange(begun)
  await locals.refresh()
  isFailing = false
  locals.noteChange(erased)
  await locals.refresh()
  expect(locals.all.get('k')?.vector).toEqual(await store.getVector('k'))
})

it('knows no session that was erased while all were read', async () => {
  const { store } = await openRenewed()
  let locals: ReturnType<typeof createLocalSessions> | undefined
  locals = createLocalSessions(
    {
      listSessions: store.listSessions,
      getVector: async (...asked) => {
        const vector = await store.getVector(...asked)
        if (vector !== undefined) {
          await store.purge('k')
          locals?.noteChange({ key: 'k' })
        }
        return vector
      },
    },
    sessionDocumentId,
  )
  await locals.refresh()
  await locals.refresh()
  expect(locals.all.has('k')).toBe(false)
})

it('keeps the newer listing where an older one is to be read again', async () => {
  const { store } = await openRenewed()
  const locals = createLocalSessions(store, sessionDocumentId)
  await locals.refresh()
  const { listing } = locals.all.get('k')!
  locals.noteChange({ key: 'k', listing: { ...listing, title: 'newer' } })
  locals.reread(listing)
  await locals.refresh()
  expect(locals.all.get('k')?.listing.title).toBe('newer')
})

it('asks what was purged of a session that cannot be read, and of others, and announces what it knew before', async () => {
  const purges = createPurgeAnnouncements({
    listPurges: async () => [],
    forgetPurges: async () => undefined,
    getVector: async (key) => {
      if (key === 'unreadable') throw new Error('It cannot be read now.')
      return undefined
    },
  })
  for (const key of ['unreadable', 'k']) {
    purges.expect(key, { key, vector: { a: 1 } })
    // A second tab purged it as well.
    purges.expect(key, undefined)
  }
  await purges.load()
  expect(['unreadable', 'k'].filter(purges.isExpected)).toEqual([])
  expect(purges.all()).toEqual([{ key: 'k', vector: { a: 1 } }])
})

it('has no other device erase what was begun anew, although it hears last that the one before was erased', async () => {
  const hub = createHub()
  const [a, b] = [createDevice(), createDevice()]
  const { store, renew } = await openRenewed()
  let hear: (change: StoreChange) => void = () => undefined
  const sync = await createSync({
    store,
    namespace: 'me',
    transport: hub.transport(),
    announceMs: 1,
    retryMs: [1, 4],
    follow: (listener) => {
      hear = listener
      return () => undefined
    },
  })
  const others = await Promise.all([a, b].map((one) => one.sync({ transport: hub.transport(), announceMs: 1 })))
  const textsOf = async ({ store: of }: typeof a) => (await of.getHistory('k')).map(({ content }) => content)
  try {
    await expect.poll(() => textsOf(a)).toEqual(['before'])
    const [erased, begun] = await renew()
    hear(begun)
    // It has read by then what is under the key now.
    await sync.syncNow()
    hear(erased)
    for (const one of [sync, ...others]) await one.syncNow()
    for (const one of [a, b]) await expect.poll(() => textsOf(one)).toEqual(['after'])
    expect(await store.getHistory('k')).toHaveLength(1)
    await expect.poll(() => store.listPurges()).toEqual([])
  } finally {
    await sync.close()
    await Promise.all([a, b].map((one) => one.close()))
    await store.close()
  }
})

it('takes nothing of what was erased into what is begun anew while it is connected', async () => {
  const hub = createHub()
  const [a, b] = [createDevice(), createDevice()]
  let isDue = false
  const renewFirst: SyncStore = {
    ...a.store,
    changes: async (...asked) => {
      if (isDue && asked[0] === 'k') {
        isDue = false
        await a.store.purge('k')
        await a.store.addMessage('k', 'user', 'after')
      }
      return a.store.changes(...asked)
    },
  }
  const [sync] = [
    await a.sync({ transport: hub.transport(), announceMs: 1, store: renewFirst }),
    await b.sync({ transport: hub.transport(), announceMs: 1 }),
  ]
  const textsOf = async ({ store }: typeof a) => (await store.getHistory('k')).map(({ content }) => content)
  try {
    await a.store.addMessage('k', 'user', 'before')
    await expect.poll(() => textsOf(b)).toEqual(['before'])
    await sync.pause()
    await a.store.addMessage('k', 'user', 'later')
    isDue = true
    sync.resume()
    for (const one of [a, b]) await expect.poll(() => textsOf(one)).toEqual(['after'])
    await sync.syncNow()
    for (const one of [a, b]) expect(await textsOf(one)).toEqual(['after'])
    expect((await a.store.listSessions({ deleted: true })).sessions).toEqual([])
  } finally {
    await Promise.all([a, b].map((one) => one.close()))
  }
})

it('takes in what arrives only for the session that was connected', async () => {
  const [mine, theirs] = [createDevice(), createDevice()]
  try {
    let isClosed = false
    const accepted: VersionVector[] = []
    for (const text of ['one', 'two']) await theirs.store.addMessage('k', 'user', text)
    const [one, two] = (await theirs.store.changes('k')).entries
    const store = connectedStore(mine.store, {
      having: {},
      isClosed: () => isClosed,
      onAccepted: (vector) => void accepted.push(vector),
    })
    await store.merge('k', [one!])
    expect(accepted).toEqual([{ [writerKey(one!.w)]: 1 }])
    await mine.store.purge('k')
    await mine.store.addMessage('k', 'user', 'begun anew')
    await expect(store.merge('k', [two!])).rejects.toSatisfy((error) => isSessionError(error, 'ParentMoved'))
    isClosed = true
    await expect(store.changes('k')).rejects.toThrow('closed')
    await expect(store.merge('k', [one!])).rejects.toThrow('closed')
    expect((await mine.store.getHistory('k')).map(({ content }) => content)).toEqual(['begun anew'])
  } finally {
    await Promise.all([mine, theirs].map((device) => device.close()))
  }
})

/** Two devices that have `k`; the second hears nothing of the list until it is released. */
async function openDeafToList() {
  const hub = createHub()
  const [a, b] = [newDevice(), newDevice()]
  await a.store.addMessage('k', 'user', 'before')
  const one = await a.sync({ transport: hub.transport() })
  const transport = hub.transport()
  const held: (() => void)[] = []
  let isDeaf = false
  const open = (store: SyncStore = b.store) =>
    b.sync({
      store,
      transport: {
        ...transport,
        open: (link) =>
          transport.open({
            ...link,
            receive: async (update, origin) => {
              if (isDeaf && link.name.endsWith('/index')) await new Promise<void>((resolve) => held.push(resolve))
              await link.receive(update, origin)
            },
          }),
      },
    })
  return {
    a,
    b,
    one,
    open,
    deafen: () => void (isDeaf = true),
    /** Only what came first. */
    releaseFirst: () => held.shift()?.(),
    release: () => {
      isDeaf = false
      for (const go of held.splice(0)) go()
    },
  }
}

const textsIn = async ({ store }: Pick<Device, 'store'>) => (await store.getHistory('k')).map(({ content }) => content)
const trashOf = async ({ store }: Device) => (await store.listSessions({ deleted: true })).sessions

it('keeps nothing of what was purged where what was begun anew had come first, and was heard of last', async () => {
  const { a, b, one, open, deafen, releaseFirst, release } = await openDeafToList()
  const two = await open()
  await one.syncNow()
  await two.syncNow()
  deafen()
  await a.store.purge('k')
  await one.syncNow()
  await a.store.addMessage('k', 'user', 'anew')
  await one.syncNow()
  await expect.poll(() => textsIn(b)).toEqual(['before', 'anew'])
  releaseFirst()
  await expect.poll(async () => (await trashOf(b)).map(({ kept }) => kept)).toEqual([true])
  release()
  await expect.poll(() => textsIn(b)).toEqual(['anew'])
  await two.syncNow()
  await one.syncNow()
  expect([await textsIn(a), await textsIn(b)]).toEqual([['anew'], ['anew']])
  expect([await trashOf(a), await trashOf(b)]).toEqual([[], []])
})

it('keeps nothing of what was purged where what was begun anew had come before the purge was heard of', async () => {
  const { a, b, one, open, deafen, release } = await openDeafToList()
  const two = await open()
  await one.syncNow()
  await two.syncNow()
  deafen()
  await a.store.purge('k')
  await a.store.addMessage('k', 'user', 'anew')
  await one.syncNow()
  await expect.poll(() => textsIn(b)).toEqual(['before', 'anew'])
  release()
  await expect.poll(() => textsIn(b)).toEqual(['anew'])
  await two.syncNow()
  await one.syncNow()
  expect([await textsIn(a), await textsIn(b)]).toEqual([['anew'], ['anew']])
  expect([await trashOf(a), await trashOf(b)]).toEqual([[], []])
  expect([await a.store.listPurges(), await b.store.listPurges()]).toEqual([[], []])
})

it('has nobody erase what was begun anew where a change of the session is heard while it is erased', async () => {
  const { a, b, one, open, deafen, release } = await openDeafToList()
  const late: SyncStore = {
    ...b.store,
    purge: async (key, options) => {
      // A change that was on its way, and a look that follows from it.
      const listing = (await b.store.listSessions()).sessions.find((one) => one.key === key)!
      b.hear({ type: 'session', key, session: 0, version: 0, listing, rows: [], reload: false })
      await two.plan()
      await b.store.purge(key, options)
    },
  }
  const two = await open(late)
  await one.syncNow()
  await two.syncNow()
  deafen()
  await a.store.purge('k')
  await a.store.addMessage('k', 'user', 'anew')
  await one.syncNow()
  await expect.poll(() => textsIn(b)).toEqual(['before', 'anew'])
  release()
  await expect.poll(() => textsIn(b)).toEqual(['anew'])
  await two.syncNow()
  await one.syncNow()
  expect([await textsIn(a), await textsIn(b)]).toEqual([['anew'], ['anew']])
})
