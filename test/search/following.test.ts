import { describe, expect, it, vi } from 'vitest'
import type { SessionChange } from '../../src/contract/change.ts'
import type { Entry } from '../../src/contract/entry.ts'
import { SessionError } from '../../src/contract/errors.ts'
import type { KnownVersions } from '../../src/contract/search.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSearchService } from '../../src/search/create-search-service.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { openSearch, type SearchedStore } from './support/open-search.ts'

const say = (text: string) => ({ type: 'message', message: { role: 'user', content: text } }) as const

/** Everything a store has of a session. */
async function entriesOf(store: SessionStore, key: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let page = await store.changes(key); ; page = await store.changes(key, {}, page.next)) {
    entries.push(...page.entries)
    if (page.next === undefined) return entries
  }
}

/** A search that has seen a session of three messages. */
async function openSeen(): Promise<
  SearchedStore & { readonly places: readonly { readonly branch: string; readonly order: string }[] }
> {
  const searched = openSearch()
  const { entries } = await searched.store.append('k', [say('alpha'), say('beta'), say('gamma')])
  expect(await searched.texts('beta')).toEqual(['beta'])
  return { ...searched, places: entries }
}

it('who waits until sessions are indexed is told how far that is', async () => {
  const backend = createMemoryBackend()
  const store = createSessionStore(backend)
  for (const key of ['a', 'b', 'c']) await store.append(key, [say('fox')])
  const told: unknown[] = []
  const service = createSearchService({ source: backend })
  expect(await service.search({ query: 'fox', filter: {}, known: [] }, (progress) => told.push(progress))).toHaveLength(
    3,
  )
  expect(told[0]).toEqual({ indexed: 1, total: 3 })
  told.length = 0
  await service.search({ query: 'fox', filter: {}, known: [] }, (progress) => told.push(progress))
  expect(told).toEqual([])
})

describe('a message', () => {
  it('is found as soon as it is stored', async () => {
    const { store, texts } = await openSeen()
    await store.append('k', [say('delta')])
    expect(await texts('delta')).toEqual(['delta'])
  })

  it('is found in a session that is new', async () => {
    const { store, search } = await openSeen()
    await store.append('l', [say('beta too')])
    expect((await search('beta')).map(({ key }) => key).sort()).toEqual(['k', 'l'])
  })

  it('is found as it was edited, and no longer as it was', async () => {
    const { store, texts, places } = await openSeen()
    await store.edit('k', places[1]!, { role: 'user', content: 'omega' })
    expect(await texts('beta')).toEqual([])
    expect(await texts('omega')).toEqual(['omega'])
    await store.edit('k', places[1]!, { role: 'user', content: 'beta' })
    expect(await texts('omega')).toEqual([])
    expect(await texts('beta')).toEqual(['beta'])
  })

  it('is not found when it was removed, and again when an edit brings it back', async () => {
    const { store, texts, places } = await openSeen()
    await store.remove('k', places[1]!)
    expect(await texts('beta')).toEqual([])
    await store.edit('k', places[1]!, { role: 'user', content: 'beta again' })
    expect(await texts('beta')).toEqual(['beta again'])
  })

  it('is not found when it was cut', async () => {
    const { store, texts } = await openSeen()
    await store.truncateHistory('k', 1)
    expect(await texts('beta')).toEqual([])
    expect(await texts('gamma')).toEqual(['gamma'])
  })

  it('is not found when its session was cleared, nor what a compaction had said of it', async () => {
    const { store, search, texts } = await openSeen()
    await store.setCompaction('k', { summary: 'letters', keepLast: 1 })
    await store.truncateHistory('k', 0)
    for (const query of ['alpha', 'beta', 'gamma', 'letters']) expect(await search(query)).toEqual([])
    await store.append('k', [say('beta anew')])
    expect(await texts('beta')).toEqual(['beta anew'])
  })

  it('is found where a compaction hides it from the model: people scroll to it', async () => {
    const { store, texts } = await openSeen()
    await store.setCompaction('k', { summary: 'letters', keepLast: 1 })
    expect(await texts('beta')).toEqual(['beta'])
    expect(await texts('letters')).toEqual([])
  })

  it('is found on every line, with the line that shows it', async () => {
    const { store, search, places } = await openSeen()
    const branch = await store.openBranch('k', { after: places[0]! })
    await store.append('k', [say('delta')])
    expect(await search('gamma')).toMatchObject([{ branch: '', line: '', isOnHead: false }])
    expect(await search('delta')).toMatchObject([{ branch: branch.id, line: branch.id, isOnHead: true }])
    expect(await search('alpha')).toMatchObject([{ branch: '', line: branch.id, isOnHead: true }])
    await store.switchBranch('k', '')
    expect(await search('gamma')).toMatchObject([{ line: '', isOnHead: true }])
    expect(await search('delta')).toMatchObject([{ line: branch.id, isOnHead: false }])
    expect(await search('alpha')).toMatchObject([{ line: '', isOnHead: true }])
  })

  it('is found on a branch whose opener arrives after it, and on branches of that one', async () => {
    const [there, { store, texts }] = [createSessionStore(createMemoryBackend()), openSearch()]
    const { entries } = await there.append('k', [say('alpha'), say('beta')])
    await there.openBranch('k', { after: entries[0]! })
    const onBranch = await there.append('k', [say('delta'), say('epsilon')])
    await there.openBranch('k', { after: onBranch.entries[0]! })
    await there.append('k', [say('zeta')])
    const all = await entriesOf(there, 'k')
    const [opener] = all.filter(({ type }) => type === 'branch')
    // A store takes what a writer wrote in turn, so that the messages come from another one.
    const elsewhere = createSessionStore(createMemoryBackend())
    await elsewhere.merge('k', all)
    await elsewhere.append('k', [say('eta')])
    const late = (await entriesOf(elsewhere, 'k')).filter(({ w }) => w !== opener!.w)
    await store.merge(
      'k',
      all.filter(({ w, s }) => w === opener!.w && s < opener!.s),
    )
    expect(await texts('beta')).toEqual(['beta'])
    await store.merge('k', late)
    expect(await texts('eta')).toEqual([])
    await store.merge('k', all)
    expect(await texts('eta')).toEqual(['eta'])
    expect(await texts('epsilon')).toEqual(['epsilon'])
  })

  it('is not found on a branch that was deleted', async () => {
    const { store, texts, places } = await openSeen()
    const branch = await store.openBranch('k', { after: places[0]! })
    await store.append('k', [say('delta')])
    expect(await texts('delta')).toEqual(['delta'])
    await store.deleteBranch('k', branch.id)
    expect(await texts('delta')).toEqual([])
    expect(await texts('alpha')).toEqual(['alpha'])
  })

  it('that main cut is found on a branch that still shows it', async () => {
    const { store, search, places } = await openSeen()
    const point = await store.checkpoint('k')
    await store.truncateHistory('k', 0)
    expect(await search('beta')).toEqual([])
    const { branch } = await store.restoreCheckpoint('k', point.id)
    expect(await search('beta')).toMatchObject([{ order: places[1]!.order, branch: '', line: branch.id }])
  })

  it('is not found in a deleted session, and again when that comes back', async () => {
    const { store, texts } = await openSeen()
    await store.delete('k')
    expect(await texts('beta')).toEqual([])
    await store.undelete('k')
    expect(await texts('beta')).toEqual(['beta'])
  })

  it('is not found in a session that was started afresh', async () => {
    const { store, texts } = await openSeen()
    await store.delete('k')
    await store.append('k', [say('delta')])
    expect(await texts('beta')).toEqual([])
    expect(await texts('delta')).toEqual(['delta'])
  })

  it('is not found when its session was purged, nor mistaken for one of the next of that key', async () => {
    const { store, texts } = await openSeen()
    await store.purge('k')
    expect(await texts('beta')).toEqual([])
    await store.append('k', [say('delta')])
    expect(await texts('beta')).toEqual([])
    expect(await texts('delta')).toEqual(['delta'])
  })

  it('is not found when it was cut and reclaimed', async () => {
    const { store, texts } = await openSeen()
    await store.truncateHistory('k', 1)
    await store.reclaim('k')
    expect(await texts('beta')).toEqual([])
    expect(await texts('gamma')).toEqual(['gamma'])
  })

  it('is found under the key its session has now', async () => {
    const { store, search } = openSearch()
    await store.append('old', [say('alpha')])
    expect(await search('alpha')).toMatchObject([{ key: 'old' }])
    await store.ensureSessionMetadata('new', undefined, ['old'])
    expect(await search('alpha')).toMatchObject([{ key: 'new' }])
    await store.purge('new')
    expect(await search('alpha')).toMatchObject([{ key: 'old' }])
  })

  it('has the title its session has now', async () => {
    const { store, search } = await openSeen()
    await store.updateMeta('k', { title: 'Letters' })
    expect(await search('beta')).toMatchObject([{ title: 'Letters' }])
  })

  it('that came from another device is found', async () => {
    const { store, texts } = await openSeen()
    const elsewhere = createSessionStore(createMemoryBackend())
    await elsewhere.merge('k', await entriesOf(store, 'k'))
    await elsewhere.append('k', [say('delta')])
    await elsewhere.truncateHistory('k', 2)
    await store.merge('k', await entriesOf(elsewhere, 'k'))
    expect(await texts('delta')).toEqual(['delta'])
    expect(await texts('alpha')).toEqual([])
  })
})

describe('what came from another device', () => {
  it('counts although it is older than what was known', async () => {
    const { store, texts, places } = await openSeen()
    const elsewhere = createSessionStore(createMemoryBackend())
    await elsewhere.merge('k', await entriesOf(store, 'k'))
    await elsewhere.edit('k', places[1]!, { role: 'user', content: 'omega' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await store.updateMeta('k', { title: 'Later' })
    expect(await texts('beta')).toEqual(['beta'])
    await store.merge('k', await entriesOf(elsewhere, 'k'))
    expect(await texts('omega')).toEqual(['omega'])
  })
})

describe('a session that was begun anew under its key', () => {
  /** The search has seen four messages of it, and not the last change of the one that was erased. */
  async function openAnew() {
    const searched = openSearch()
    const { store, service, texts } = searched
    const changes: SessionChange[] = []
    const late = createSessionStore(searched.backend, {
      onChange: (change) => void (change.type === 'session' && changes.push(change)),
    })
    for (let n = 1; n <= 5; n++) await late.append('k', [say(`erased${n}`)])
    await late.purge('k')
    for (let n = 1; n <= 4; n++) await store.append('k', [say(`new${n}`)])
    expect(await texts('new4')).toEqual(['new4'])
    return { ...searched, last: changes[4]!, receive: service.receive }
  }

  it('is found whole although a change of the erased one is heard late', async () => {
    const { store, texts, last, receive } = await openAnew()
    receive(last)
    await store.append('k', [say('new5')])
    await store.append('k', [say('new6')])
    expect([await texts('new5'), await texts('new6')]).toEqual([['new5'], ['new6']])
  })

  it('is read for a caller who knows a version that only the erased one was indexed up to', async () => {
    const backend = createMemoryBackend()
    const store = createSessionStore(backend)
    await store.append('k', [say('alpha'), say('beta')])
    const service = createSearchService({ source: backend })
    await service.idle()
    await store.purge('k')
    await store.append('k', [say('gamma')])
    const { version, session } = await store.read('k')
    const hits = await service.search({ query: 'gamma', filter: {}, known: [['k', version, session]] })
    expect(hits).toHaveLength(1)
  })
})

describe('what nobody told of', () => {
  /** A store whose changes are not heard. */
  async function openUnheard() {
    const backend = createMemoryBackend()
    const store = createSessionStore(backend)
    await store.append('k', [say('alpha'), say('beta')])
    const service = createSearchService({ source: backend })
    await service.idle()
    return {
      store,
      service,
      texts: async (query: string, known: KnownVersions = []) =>
        (await service.search({ query, filter: {}, known })).map(({ snippet }) => snippet.text),
    }
  }

  it('is never shown when it is gone', async () => {
    const { store, texts } = await openUnheard()
    await store.truncateHistory('k', 1)
    expect(await texts('alpha')).toEqual([])
    expect(await texts('beta')).toEqual(['beta'])
  })

  it('is looked at when an answer shows that it has changed', async () => {
    const { store, texts } = await openUnheard()
    const { entries } = await store.read('k')
    await store.edit('k', entries[0]!, { role: 'user', content: 'omega' })
    expect(await texts('omega')).toEqual([])
    expect(await texts('alpha')).toEqual([])
    expect(await texts('omega')).toEqual(['omega'])
  })

  it('is found when the asker knows of it', async () => {
    const { store, texts } = await openUnheard()
    await store.append('k', [say('gamma')])
    expect(await texts('gamma')).toEqual([])
    expect(await texts('gamma', [['k', (await store.read('k')).version, (await store.read('k')).session]])).toEqual([
      'gamma',
    ])
  })

  it('is found when the next change shows that one was missed', async () => {
    const { store, service, texts } = await openUnheard()
    await store.append('k', [say('gamma')])
    await store.append('k', [say('delta')])
    const { version, branch, entries } = await store.read('k', { last: 1 })
    service.receive({
      type: 'session',
      key: 'k',
      session: 1,
      version,
      rows: [{ branch, order: entries[0]!.order }],
      reload: false,
      listing: (await store.getMeta('k'))!,
    })
    expect(await texts('gamma')).toEqual(['gamma'])
  })

  it('is found after a look at the versions', async () => {
    const { store, service, texts } = await openUnheard()
    await store.append('k', [say('gamma')])
    await store.append('l', [say('gamma')])
    service.recheck()
    expect(await texts('gamma')).toEqual(['gamma', 'gamma'])
    await store.purge('l')
    service.recheck()
    expect(await texts('gamma')).toEqual(['gamma'])
  })
})

describe('following a store', () => {
  it('reads only what is new of a long session', async () => {
    const { store, backend, service, texts } = openSearch()
    await store.append(
      'k',
      Array.from({ length: 3000 }, (_, i) => say(`message ${i}`)),
    )
    await service.idle()
    const reading = vi.spyOn(backend, 'readRange')
    const rowsRead = async () =>
      (
        await Promise.all(reading.mock.results.map(({ value }) => value as ReturnType<typeof backend.readRange>))
      ).reduce((sum, { entries }) => sum + entries.length, 0)
    for (const text of ['delta', 'epsilon']) await store.append('k', [say(text)])
    await store.updateMeta('k', { title: 'A title', contextState: { n: 1 } })
    const { branch, order } = (await store.append('k', [say('zeta')])).entries[0]!
    await store.setCompaction('k', { summary: 's', keepLast: 2 })
    await store.edit('k', { branch, order }, { role: 'user', content: 'eta' })
    reading.mockClear()
    await service.idle()
    expect(await rowsRead()).toBeLessThan(400)
    expect(await texts('eta')).toEqual(['eta'])
  })

  it('rejects a search when the store can not be read, and goes on when it can', async () => {
    const { store, backend, texts } = await openSeen()
    const failing = vi.spyOn(backend, 'loadSession').mockRejectedValue(new Error('the disk is on fire'))
    await store.append('k', [say('delta')]).catch(() => undefined)
    await expect(texts('beta')).rejects.toThrow('the disk is on fire')
    failing.mockRestore()
    expect(await texts('beta')).toEqual(['beta'])
    await store.append('k', [say('delta again')])
    expect(await texts('delta')).toContain('delta again')
  })

  it('passes over a session that can not be read', async () => {
    const { store, backend, texts, service } = await openSeen()
    await store.append('l', [say('beta too')])
    const load = backend.loadSession.bind(backend)
    const failing = vi.spyOn(backend, 'loadSession').mockImplementation(async (key) => {
      if (key === 'k') throw new SessionError('ChecksumMismatch', 'The hot row of "k" is damaged.')
      return load(key)
    })
    expect(await texts('beta')).toEqual(['beta too'])
    service.recheck()
    expect(await texts('beta')).toEqual(['beta too'])
    failing.mockRestore()
    service.recheck()
    expect((await texts('beta')).toSorted()).toEqual(['beta', 'beta too'])
  })

  it('finds what is on several lines once', async () => {
    const { store, search } = openSearch()
    await store.append(
      'k',
      Array.from({ length: 700 }, (_, i) => say(`fox ${i}`)),
    )
    const { entries } = await store.read('k', { after: '', limit: 300 })
    for (let i = 0; i < 5; i++) {
      await store.openBranch('k', { after: entries[i * 50]! })
      await store.append(
        'k',
        Array.from({ length: 10 }, (_, n) => say(`fox on ${i} ${n}`)),
      )
    }
    const hits = await search('fox', { limit: 1000 })
    expect(new Set(hits.map(({ id }) => id)).size).toBe(750)
    expect(hits).toHaveLength(750)
  })

  it('finds each message once, however changes and searches interleave', async () => {
    const { store, search } = openSearch()
    const searches: Promise<unknown>[] = []
    for (let i = 0; i < 40; i++) {
      void store.append(`k${i % 3}`, [say(`fox ${i}`)])
      if (i % 7 === 0) void store.updateMeta(`k${i % 3}`, { title: `t${i}` })
      if (i % 3 === 0) searches.push(search('fox', { limit: 100 }))
      if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, i % 10))
    }
    await Promise.all(searches)
    await store.read('k0')
    const hits = await search('fox', { limit: 1000 })
    expect(hits.map(({ snippet }) => snippet.text).sort()).toEqual(
      Array.from({ length: 40 }, (_, i) => `fox ${i}`).sort(),
    )
  })

  it('rejects after it was closed', async () => {
    const { service, search } = await openSeen()
    await service.close()
    await service.close()
    await expect(search('beta')).rejects.toMatchObject({ name: 'StorageClosed' })
  })
})
