import { IDBFactory } from 'fake-indexeddb'
import { describe, expect, it, vi } from 'vitest'
import { controlLane } from '../../src/contract/backend.ts'
import type { ChangeSink } from '../../src/contract/change.ts'
import { createSearchService } from '../../src/search/create-search-service.ts'
import { openIndexDatabase } from '../../src/search/open-index-database.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

const say = (text: string) => ({ type: 'message', message: { role: 'user', content: text } }) as const

/** A store in memory whose index is kept in a database, across services. */
function openKept() {
  const indexedDB = new IDBFactory()
  const backend = createMemoryBackend()
  const listeners = new Set<ChangeSink>()
  const store = createSessionStore(backend, { onChange: (change) => listeners.forEach((listener) => listener(change)) })
  const blocks = (epoch = 'e') => openIndexDatabase({ name: 'index', epoch, indexedDB })
  return {
    store,
    backend,
    blocks,
    /** Every word in the stored index. */
    words: async () =>
      (await (await blocks()).load(() => undefined))?.segments.map(({ segment }) => segment.terms.letters).join(' ') ??
      '',
    start: async (options: { readonly epoch?: string; readonly mayWrite?: boolean } = {}) => {
      const service = createSearchService({
        source: backend,
        blocks: await blocks(options.epoch),
        mayWrite: options.mayWrite ?? true,
      })
      listeners.add(service.receive)
      return {
        texts: async (query: string) =>
          (await service.search({ query, filter: {}, known: [] })).map(({ snippet }) => snippet.text).sort(),
        idle: service.idle,
        close: async () => {
          listeners.delete(service.receive)
          await service.close()
        },
      }
    },
  }
}

describe('an index that is kept', () => {
  it('needs no session read again', async () => {
    const { store, backend, start } = openKept()
    for (let i = 0; i < 30; i++) await store.append(`k${i}`, [say(`fox ${i}`), say('wolf')])
    const first = await start()
    expect(await first.texts('"fox 7"')).toEqual(['fox 7'])
    await first.close()
    const loading = vi.spyOn(backend, 'loadSession')
    const second = await start()
    await second.idle()
    expect(loading).not.toHaveBeenCalled()
    expect(await second.texts('"fox 7"')).toEqual(['fox 7'])
    expect(loading.mock.calls).toEqual([['k7']])
  })

  it('is brought up to date with what happened meanwhile, and reads only those sessions', async () => {
    const { store, backend, start } = openKept()
    for (let i = 0; i < 10; i++) await store.append(`k${i}`, [say(`fox ${i}`)])
    const first = await start()
    await first.idle()
    await first.close()
    await store.append('k3', [say('a new fox')])
    await store.purge('k4')
    await store.delete('k5')
    await store.append('l', [say('another fox')])
    const loading = vi.spyOn(backend, 'loadSession')
    const second = await start()
    await second.idle()
    expect(loading.mock.calls.flat().sort()).toEqual(['k3', 'k4', 'k5', 'l'])
    expect(await second.texts('fox')).toEqual([
      'a new fox',
      'another fox',
      'fox 0',
      'fox 1',
      'fox 2',
      'fox 3',
      'fox 6',
      'fox 7',
      'fox 8',
      'fox 9',
    ])
  })

  it('holds no word of a message that was reclaimed while its session was read', async () => {
    const { store, backend, start, words } = openKept()
    await store.append('k', [say('a secretword')])
    await store.append(
      'l',
      Array.from({ length: 50 }, (_, i) => say(`fox ${i}`)),
    )
    const first = await start()
    await first.idle()
    const { readRange } = backend
    let isReclaimed = false
    backend.readRange = async (read) => {
      // The last of what is read of a session.
      if (read.lane === controlLane && read.limit === 1 && !isReclaimed) {
        isReclaimed = true
        await store.reclaim('k')
      }
      return readRange(read)
    }
    await store.truncateHistory('k', 0)
    await first.idle()
    expect(isReclaimed).toBe(true)
    await first.idle()
    expect(await words()).toContain('fox')
    expect(await words()).not.toContain('secretword')
  })

  it('keeps what was removed removed', async () => {
    const { store, start, blocks } = openKept()
    const { entries } = await store.append(
      'k',
      Array.from({ length: 20 }, (_, i) => say(`fox ${i}`)),
    )
    const first = await start()
    await first.idle()
    await store.remove('k', entries[3]!)
    await first.idle()
    expect((await (await blocks()).load(() => undefined))?.segments.map(({ dead }) => dead.indexOf(1))).toEqual([3])
    await first.close()
    const second = await start()
    expect(await second.texts('"fox 3"')).toEqual([])
    expect(await second.texts('"fox 4"')).toEqual(['fox 4'])
  })

  it.each([
    ['its session was purged', async (store: ReturnType<typeof openKept>['store']) => store.purge('k')],
    [
      'it was cut and reclaimed',
      async (store: ReturnType<typeof openKept>['store']) => {
        await store.truncateHistory('k', 0)
        await store.reclaim('k')
      },
    ],
    [
      'edits replaced it and were reclaimed',
      async (store: ReturnType<typeof openKept>['store']) => {
        const [entry] = (await store.read('k', { after: '' })).entries
        for (const content of ['another secretword', 'last']) await store.edit('k', entry!, { role: 'user', content })
        await store.reclaim('k')
      },
    ],
  ])('holds no word of a message any more when %s', async (_, erase) => {
    const { store, start, words } = openKept()
    await store.append('k', [say('a secretword')])
    await store.append(
      'l',
      Array.from({ length: 50 }, (_, i) => say(`fox ${i}`)),
    )
    const first = await start()
    await first.idle()
    expect(await words()).toContain('secretword')
    await erase(store)
    await first.idle()
    expect(await words()).toContain('fox')
    expect(await words()).not.toContain('secretword')
  })

  it('holds no word of a session that was erased when it was not completely indexed', async () => {
    const { store, start, blocks, words } = openKept()
    await store.append('k', [say('a secretword')])
    await store.append('l', [say('fox')])
    const first = await start()
    await first.idle()
    await first.close()
    // Its messages are stored before it itself is, as by a first pass that is closed.
    const index = await blocks()
    const { segments, sessions } = (await index.load(() => undefined))!
    const { number } = sessions.find(({ key }) => key === 'k')!
    await index.save({ ids: segments.map(({ id }) => id), added: [], dead: [], sessions: [], gone: [number] })
    index.close()
    await store.purge('k')
    expect(await words()).toContain('secretword')
    const second = await start()
    await second.idle()
    expect(await second.texts('fox')).toEqual(['fox'])
    await second.close()
    expect(await words()).not.toContain('secretword')
  })

  it('is made anew for another database of that name', async () => {
    const { store, start, blocks } = openKept()
    await store.append('k', [say('fox')])
    const first = await start()
    await first.idle()
    await first.close()
    expect(await (await blocks('other')).load(() => undefined)).toBeUndefined()
    const second = await start({ epoch: 'other' })
    await second.idle()
    expect(await second.texts('fox')).toEqual(['fox'])
    expect(await (await blocks('e')).load(() => undefined)).toBeUndefined()
    expect((await (await blocks('other')).load(() => undefined))?.sessions).toMatchObject([{ key: 'k' }])
  })

  it('outlives a search that is closed while it loads, or while it takes in what is new', async () => {
    const { store, start, words } = openKept()
    for (let i = 0; i < 70; i++)
      await store.append(
        `k${i}`,
        Array.from({ length: 100 }, (_, n) => say(`fox ${i} ${n} ${'word '.repeat(10)}`)),
      )
    const first = await start()
    await first.idle()
    await first.close()
    const loading = await start()
    await loading.close()
    expect(await words()).toContain('fox')
    for (let i = 0; i < 100; i++)
      await store.append(
        `l${i}`,
        Array.from({ length: 100 }, (_, n) => say(`wolf ${i} ${n} ${'word '.repeat(10)}`)),
      )
    const begun = await start()
    await new Promise((resolve) => setTimeout(resolve, 40))
    await begun.close()
    const last = await start()
    await last.idle()
    for (const query of ['"fox 69 99"', '"wolf 0 0"', '"wolf 50 50"', '"wolf 99 99"'])
      expect(await last.texts(query)).toHaveLength(1)
    await last.close()
  })

  it('is written by nobody who may not', async () => {
    const { store, start, words } = openKept()
    await store.append('k', [say('fox')])
    const first = await start()
    await first.idle()
    const reader = await start({ mayWrite: false })
    await first.close()
    await store.append('k', [say('wolf')])
    await reader.idle()
    expect(await reader.texts('wolf')).toEqual(['wolf'])
    await reader.close()
    expect(await words()).toBe('fox')
  })

  it('is none the worse when it can not be stored, and is stored the next time', async () => {
    const { store, backend, blocks } = openKept()
    await store.append('k', [say('fox')])
    const kept = await blocks()
    const failing = vi.spyOn(kept, 'save').mockRejectedValueOnce(new DOMException('full', 'QuotaExceededError'))
    const service = createSearchService({ source: backend, blocks: kept, mayWrite: true })
    await service.idle()
    expect(failing).toHaveBeenCalledOnce()
    await service.idle()
    expect(await kept.load(() => undefined)).toMatchObject({ sessions: [{ key: 'k' }] })
  })

  it('is stored piece by piece, each once', async () => {
    const { store, backend, blocks } = openKept()
    await store.append('k', [say('fox')])
    const kept = await blocks()
    const saving = vi.spyOn(kept, 'save')
    const service = createSearchService({ source: backend, blocks: kept, mayWrite: true })
    await service.idle()
    await store.append('l', [say('wolf')])
    service.recheck()
    await service.idle()
    await service.idle()
    expect(saving.mock.calls.map(([{ ids, added, sessions }]) => [ids.length, added.length, sessions.length])).toEqual([
      [1, 1, 1],
      [2, 1, 1],
    ])
  })
})
