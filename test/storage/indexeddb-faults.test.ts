import { IDBObjectStore as FakeObjectStore, IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { StorageBackend } from '../../src/contract/backend.ts'
import type { NoticeChange } from '../../src/contract/change.ts'
import { isSessionError } from '../../src/contract/errors.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { type Fault, failCommits, failRequest } from '../support/indexeddb-faults.ts'
import {
  batchOf,
  type Change,
  editAt,
  entriesAt,
  entryAt,
  inLane,
  orderAt,
  planSession,
  readLane,
} from './backend-fixtures.ts'

const openFresh = () => openIndexedDbBackend({ name: 'faults', indexedDB: new IDBFactory(), IDBKeyRange })

afterEach(() => void vi.unstubAllGlobals())

const large = entryAt(500, { data: { mid: 'large', text: 'x'.repeat(40_000) } })

/** A bit of everything a write can do. */
const changes: readonly Change[] = [
  { append: inLane(0, entriesAt(0, 69)), aliases: { add: ['x'], drop: [] } },
  {
    append: [...inLane(0, [entryAt(80), large]), ...inLane(-1, [entryAt(81)])],
    operations: [{ id: 'o', fingerprint: 'f', result: null, n: 1 }],
  },
  {
    insert: inLane(0, [entryAt(75), entryAt(76)]),
    edits: [{ lane: 0, order: orderAt(3), mark: editAt(90, { v: 1 }) }],
  },
  {
    drafts: [
      { put: { id: 'd', session: 1, key: 'a', branch: '', role: 'assistant', startedAt: 1, version: 1 } },
      { draft: 'd', n: 0, chunk: { text: 'x' } },
    ],
  },
  { erase: [{ lane: 0, orders: [orderAt(0), orderAt(76)] }], pruneOperations: 5, aliases: { add: ['y'], drop: ['x'] } },
  { pack: { lane: 0, from: orderAt(64) }, drafts: [{ drop: 'd' }] },
]

async function contents(backend: StorageBackend): Promise<unknown> {
  return {
    rows: await backend.loadSession('a'),
    lanes: [await readLane(backend, 1, 0), await readLane(backend, 1, -1)],
    aliases: [await backend.findAlias('x'), await backend.findAlias('y')],
    operation: await backend.findOperation(1, 'o'),
    drafts: await backend.loadDrafts(1),
    large: await backend.findByMid(1, ['large']),
  }
}

/** Runs the script on both; what the first does not acknowledge, the second does not get. */
async function runScript(backend: StorageBackend, model: StorageBackend): Promise<unknown[]> {
  const failures: unknown[] = []
  for (const change of changes) {
    const stored = await model.loadSession('a')
    const { hot, cold } = stored ?? planSession('a', 1).rows()
    const write = { ...planSession('a', 1).plan(change), cold, hot: { ...hot, version: hot.version + 1 } }
    try {
      const outcome = await backend.commit(batchOf(write), 'relaxed')
      expect(outcome).toEqual({ stored: true })
      await model.commit(batchOf(write), 'relaxed')
    } catch (error) {
      failures.push(error)
    }
  }
  return failures
}

describe('a write that fails', () => {
  it.each<Fault>([
    { how: 'throw', name: 'UnknownError' },
    { how: 'fail', name: 'UnknownError' },
    { how: 'fail', name: 'QuotaExceededError' },
    { how: 'abort', name: 'AbortError' },
    { how: 'abort', name: 'QuotaExceededError' },
  ])(
    'is not stored in part, wherever it fails: $how $name',
    async (fault) => {
      let n = 1
      for (let isReached = true; isReached; n++) {
        const backend = await openFresh()
        const model = createMemoryBackend()
        const planted = failRequest(n, fault)
        const failures = await runScript(backend, model)
        isReached = planted.restore()
        const name = fault.name === 'QuotaExceededError' ? 'QuotaExceeded' : 'StorageUnavailable'
        expect(
          failures.every((error) => isSessionError(error, name)),
          String(failures),
        ).toBe(true)
        expect(await contents(backend), `at request ${n}`).toEqual(await contents(model))
        await backend.close()
      }
      expect(n).toBeGreaterThan(50)
    },
    60_000,
  )

  it('says that the quota is reached, and goes on once there is room', async () => {
    const backend = await openFresh()
    const a = planSession('a', 1)
    await a.write(backend)
    const planned = batchOf(a.plan({ append: inLane(0, [entryAt(0)]) }))
    // A browser that never says how much there is must not keep the caller waiting.
    vi.stubGlobal('navigator', { storage: { estimate: () => new Promise(() => undefined) } })
    const planted = failCommits('QuotaExceededError')
    await expect(backend.commit(planned, 'strict')).rejects.toMatchObject({ name: 'QuotaExceeded' })
    planted.restore()
    expect((await readLane(backend, 1)).entries).toEqual([])
    await expect(backend.commit(planned, 'strict')).resolves.toEqual({ stored: true })
  })

  it('says what was asked for and what would help, once for all that find no room', async () => {
    const notices: NoticeChange[] = []
    const backend = await openIndexedDbBackend({
      name: 'quota',
      indexedDB: new IDBFactory(),
      IDBKeyRange,
      onNotice: (notice) => notices.push(notice),
    })
    const [a, b] = [planSession('a', 1), planSession('b', 2)]
    await a.write(backend)
    await b.write(backend)
    const gone = b.plan()
    await backend.commit(batchOf({ ...gone, hot: { ...gone.hot, deletedAt: 1, bytes: 70_000 } }), 'relaxed')
    const planned = batchOf(a.plan({ append: inLane(0, [entryAt(0, { bytes: 5_000 })]) }))
    const full = failCommits('QuotaExceededError')
    for (let i = 0; i < 2; i++)
      await expect(backend.commit(planned, 'strict')).rejects.toMatchObject({
        name: 'QuotaExceeded',
        message: expect.stringMatching(/needed about 5 kB.*purging deleted sessions \(up to 70 kB\)/),
      })
    full.restore()
    expect(notices).toMatchObject([
      { name: 'spaceLow', space: { neededBytes: 5_000, reclaimable: { deleted: { sessions: 1, bytes: 70_000 } } } },
    ])
    await backend.commit(planned, 'strict')
    const again = failCommits('QuotaExceededError')
    await expect(backend.commit(batchOf(a.plan()), 'strict')).rejects.toMatchObject({ name: 'QuotaExceeded' })
    again.restore()
    expect(notices).toHaveLength(2)
  })

  it('takes the refusal that follows in Firefox for what it is', async () => {
    const backend = await openFresh()
    const a = planSession('a', 1)
    await a.write(backend)
    const planned = batchOf(a.plan({ append: inLane(0, [entryAt(0)]) }))
    const full = failCommits('QuotaExceededError')
    await expect(backend.commit(planned, 'strict')).rejects.toMatchObject({ name: 'QuotaExceeded' })
    full.restore()
    const refused = failRequest(2, { how: 'throw', name: 'InvalidStateError' })
    await expect(backend.commit(planned, 'strict')).rejects.toMatchObject({ name: 'QuotaExceeded' })
    refused.restore()
    await expect(backend.commit(planned, 'strict')).resolves.toEqual({ stored: true })
    const elsewhere = failRequest(2, { how: 'throw', name: 'InvalidStateError' })
    await expect(backend.commit(batchOf(a.plan()), 'strict')).rejects.toMatchObject({ name: 'StorageUnavailable' })
    elsewhere.restore()
  })
})

describe('setting aside', () => {
  const filled = async (): Promise<StorageBackend> => {
    const backend = await openFresh()
    await planSession('a', 1).write(backend, { append: inLane(0, [...entriesAt(0, 9), large]) })
    return backend
  }

  it('keeps a record that could not be read just now', async () => {
    for (let n = 1, isReached = true; isReached; n++) {
      const backend = await filled()
      const planted = failRequest(n, { how: 'fail', name: 'UnknownError' })
      const outcome = await backend.setAside(1, 0, orderAt(0)).then(
        () => 'done',
        (error: unknown) => error,
      )
      isReached = planted.restore()
      if (isReached) expect(outcome).toMatchObject({ name: 'StorageUnavailable' })
      expect(await readLane(backend, 1)).toEqual({ entries: [...entriesAt(0, 9), large], unreadable: [] })
    }
  })

  it('frees the place of a record that is lost for good', async () => {
    const backend = await filled()
    const planted = failRequest(1, { how: 'fail', name: 'NotReadableError' })
    await backend.setAside(1, 0, orderAt(0))
    planted.restore()
    expect(await readLane(backend, 1)).toEqual({ entries: [], unreadable: [] })
  })
})

describe('a read that fails', () => {
  const filled = async (): Promise<StorageBackend> => {
    const backend = await openFresh()
    await planSession('a', 1).write(backend, { append: inLane(0, [...entriesAt(0, 299), large]) })
    return backend
  }
  const reads = (backend: StorageBackend): readonly (() => Promise<unknown>)[] => [
    () => backend.readRange({ session: 1, lane: 0, from: '', to: '~' }),
    () => backend.readRange({ session: 1, lane: 0, from: orderAt(70), to: '~', limit: 100 }),
    () => backend.readRange({ session: 1, lane: 0, from: orderAt(70), to: '~', limit: 200, reverse: true }),
  ]

  it('of one call for many records is made up for by single ones', async () => {
    const backend = await filled()
    const planted = failRequest(1, { how: 'fail', name: 'NotReadableError' })
    const read = await readLane(backend, 1)
    expect(planted.restore()).toBe(true)
    expect(read).toEqual({ entries: [...entriesAt(0, 299), large], unreadable: [] })
  })

  it('because its transaction is aborted is not taken for a record that cannot be read', async () => {
    const backend = await filled()
    const { get } = FakeObjectStore.prototype
    let asked = 0
    FakeObjectStore.prototype.get = function (this: IDBObjectStore, key) {
      const request = get.call(this, key)
      asked++
      if (asked === 2) queueMicrotask(() => this.transaction.abort())
      return request
    }
    const read = backend.readRange({ session: 1, lane: 0, from: '', to: orderAt(127), limit: 500 })
    await expect(read).rejects.toMatchObject({ name: 'StorageUnavailable' })
    FakeObjectStore.prototype.get = get
    expect(asked).toBe(2)
  })

  it('names what it is about, or rejects with a typed error; it never hangs and never lies', async () => {
    const backend = await filled()
    for (let which = 0; which < 3; which++) {
      const whole = (await reads(backend)[which]!()) as Awaited<ReturnType<StorageBackend['readRange']>>
      for (const fault of [
        { how: 'fail', name: 'NotReadableError' },
        { how: 'throw', name: 'UnknownError' },
        { how: 'abort', name: 'AbortError' },
      ] as const) {
        for (let n = 1, isReached = true; isReached; n++) {
          const planted = failRequest(n, fault)
          const outcome = await reads(backend)[which]!().then(
            (result) => result as typeof whole,
            (error: unknown) => error,
          )
          isReached = planted.restore()
          // Only a request that fails by itself may be passed over.
          if (isReached && fault.how !== 'fail') expect(outcome).toMatchObject({ name: 'StorageUnavailable' })
          if (isSessionError(outcome, 'StorageUnavailable')) continue
          const { entries, unreadable } = outcome as typeof whole
          if (unreadable.length === 0)
            expect(entries.map(({ s }) => s).slice(0, whole.entries.length), `${which} ${fault.how} ${n}`).toEqual(
              whole.entries.map(({ s }) => s),
            )
          else expect(new Set(entries.map(({ s }) => s)).size).toBe(entries.length)
        }
      }
    }
  }, 60_000)
})
