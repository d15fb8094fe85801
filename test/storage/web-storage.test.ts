import { describe, expect, it } from 'vitest'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { createWebStorage } from '../support/web-storage.ts'
import { batchOf, entriesAt, entryAt, inLane, numbersIn, orderAt, planSession, readLane } from './backend-fixtures.ts'
import { damageWebStorage } from './damage-web-storage.ts'

const snapshot = (storage: Storage) =>
  Array.from({ length: storage.length }, (_, i) => [storage.key(i), storage.getItem(storage.key(i)!)]).sort()
const textOf = (storage: Storage, key: string) => storage.getItem(`app:session:${key}`) ?? ''

describe('Web Storage', () => {
  it('holds one document for each session and nothing else', async () => {
    const storage = createWebStorage()
    const backend = await openWebStorageBackend({ name: 'app', storage })
    await planSession('a', 1).write(backend, { append: inLane(0, entriesAt(0, 2)) })
    await planSession('b', 2).write(backend)
    expect(snapshot(storage).map(([key]) => key)).toEqual(['app:session:a', 'app:session:b'])
  })

  it('leaves other keys and other stores alone', async () => {
    const storage = createWebStorage()
    storage.setItem('theirs', 'x')
    const other = await openWebStorageBackend({ name: 'other', storage })
    await planSession('o', 1).write(other)
    const backend = await openWebStorageBackend({ name: 'app', storage })
    expect(await backend.listSessions()).toEqual([])
    expect(storage.getItem('theirs')).toBe('x')
  })

  it('writes a document once for each commit, and its aliases apart', async () => {
    const storage = createWebStorage()
    const backend = await openWebStorageBackend({ name: 'app', storage })
    const written: string[] = []
    const { setItem } = storage
    storage.setItem = (key, value) => {
      written.push(key)
      setItem(key, value)
    }
    const a = planSession('a', 1)
    await a.write(backend, {
      append: inLane(0, entriesAt(0, 99)),
      aliases: { add: ['x'], drop: [] },
      operations: [{ id: 'o', fingerprint: '', result: null, n: 0 }],
    })
    expect(written).toEqual(['app:session:a', 'app:alias:x'])
  })

  it('keeps the document there was when the new one does not fit', async () => {
    const storage = createWebStorage(6_000)
    const backend = await openWebStorageBackend({ name: 'app', storage })
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 9)) })
    const before = snapshot(storage)
    const planned = a.plan({ append: inLane(0, entriesAt(10, 60)) })
    await expect(backend.commit(batchOf(planned), 'strict')).rejects.toMatchObject({ name: 'QuotaExceeded' })
    expect(snapshot(storage)).toEqual(before)
    expect(await numbersIn(backend, 1)).toEqual(entriesAt(0, 9).map(({ s }) => s))
    await expect(backend.commit(batchOf({ ...planned, append: inLane(0, [entryAt(10)]) }), 'strict')).resolves.toEqual({
      stored: true,
    })
    expect(await numbersIn(backend, 1)).toHaveLength(11)
  })

  it('takes back the documents of a batch when a later one does not fit', async () => {
    const storage = createWebStorage(8_000)
    const backend = await openWebStorageBackend({ name: 'app', storage })
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, [entryAt(0)]) })
    const before = snapshot(storage)
    const batch = batchOf(
      planSession('new', 3).plan({ append: inLane(0, entriesAt(0, 5)) }),
      a.plan({ append: inLane(0, [entryAt(1)]) }),
      planSession('b', 2).plan({ append: inLane(0, entriesAt(0, 60)) }),
    )
    await expect(backend.commit(batch, 'strict')).rejects.toMatchObject({ name: 'QuotaExceeded' })
    expect(snapshot(storage)).toEqual(before)
    expect(await numbersIn(backend, 1)).toEqual([0])
    expect(await backend.loadSession('new')).toBeUndefined()
  })

  it('writes what is added before it erases', async () => {
    const storage = createWebStorage()
    const backend = await openWebStorageBackend({ name: 'app', storage })
    await planSession('old', 1).write(backend)
    const done: string[] = []
    const { setItem, removeItem } = storage
    storage.setItem = (key, value) => (done.push(`set ${key}`), setItem(key, value))
    storage.removeItem = (key) => (done.push(`remove ${key}`), removeItem(key))
    await backend.commit({ sessions: [planSession('new', 2).plan()], erase: [{ key: 'old', session: 1 }] }, 'strict')
    expect(done).toEqual(['set app:session:new', 'remove app:session:old'])
  })

  it('looks and writes under a lock where it gets one', async () => {
    const names: string[] = []
    const locks = {
      request: (name: string, act: () => Promise<unknown>) => (names.push(name), act()),
    } as unknown as LockManager
    const backend = await openWebStorageBackend({ name: 'app', storage: createWebStorage(), locks })
    await planSession('a', 1).write(backend)
    await backend.setAside(1, 0, 'x')
    expect(names).toEqual(['app:web-storage', 'app:web-storage'])
  })

  it('gives up a document that is no longer one, and keeps its text', async () => {
    const storage = createWebStorage()
    const backend = await openWebStorageBackend({ name: 'app', storage })
    const a = planSession('a', 1)
    const b = planSession('b', 2)
    for (const session of [a, b])
      await session.write(backend, {
        append: inLane(0, entriesAt(0, 2)),
        aliases: { add: [`alias of ${session.key}`], drop: [] },
      })
    storage.setItem('app:session:a', 'garbage')
    expect((await backend.listSessions()).map(({ key }) => key)).toEqual(['b'])
    expect(await backend.findAlias('alias of b')).toBe('b')
    expect(await readLane(backend, 1)).toEqual({ entries: [], unreadable: [''] })
    await expect(backend.loadSession('a')).rejects.toMatchObject({ name: 'ChecksumMismatch' })
    await expect(backend.commit(batchOf(a.plan()), 'strict')).rejects.toMatchObject({ name: 'ChecksumMismatch' })
    await expect(backend.commit(batchOf(planSession('a', 3).plan()), 'strict')).rejects.toMatchObject({
      name: 'ChecksumMismatch',
    })
    expect(textOf(storage, 'a')).toBe('garbage')
    await b.write(backend, { append: inLane(0, [entryAt(3)]) })
    expect(await numbersIn(backend, 2)).toEqual([0, 1, 2, 3])
    await backend.commit({ sessions: [], erase: [{ key: 'a', session: 1 }] }, 'strict')
    expect(storage.getItem('app:session:a')).toBeNull()
  })

  it('finds a damaged document by its number also after a reload', async () => {
    const storage = createWebStorage()
    await planSession('a', 1).write(await openWebStorageBackend({ name: 'app', storage }))
    storage.setItem('app:session:a', textOf(storage, 'a').replace('hot\t{', 'hot\t'))
    expect(await readLane(await openWebStorageBackend({ name: 'app', storage }), 1)).toEqual({
      entries: [],
      unreadable: [''],
    })
  })

  it('keeps the text of what it sets aside, and of lines it cannot read', async () => {
    const storage = createWebStorage()
    const backend = await openWebStorageBackend({ name: 'app', storage })
    const a = planSession('a', 1)
    await a.write(backend, {
      append: inLane(0, entriesAt(0, 99)),
      operations: [{ id: 'o', fingerprint: 'f', result: null, n: 0 }],
    })
    await damageWebStorage(storage, 1, 0, orderAt(64))
    const [, half = ''] =
      /^e 0 \S+\t(.*)$/m.exec(
        textOf(storage, 'a')
          .split('\n')
          .find((line) => line.startsWith(`e 0 ${orderAt(64)}`)) ?? '',
      ) ?? []
    storage.setItem('app:session:a', textOf(storage, 'a').replace('o\t{"id"', 'o\t{id'))
    await a.write(backend)
    expect(textOf(storage, 'a')).toContain(half)
    await backend.setAside(1, 0, orderAt(64))
    expect(await readLane(backend, 1)).toEqual({ entries: entriesAt(0, 63), unreadable: [] })
    expect(textOf(storage, 'a')).toContain(`x\t${JSON.stringify(half)}`)
    expect(textOf(storage, 'a')).toContain(`x\t${JSON.stringify('o\t{id:"o"').slice(0, 10)}`)
    expect(await backend.findOperation(1, 'o')).toBeUndefined()
  })

  it('leaves a document of newer code alone', async () => {
    const storage = createWebStorage()
    const backend = await openWebStorageBackend({ name: 'app', storage })
    const a = planSession('a', 1)
    await a.write(backend)
    storage.setItem('app:session:a', textOf(storage, 'a').replace('keepsession 1 ', 'keepsession 2 '))
    const before = textOf(storage, 'a')
    await expect(backend.loadSession('a')).rejects.toMatchObject({ name: 'VersionConflict' })
    await expect(backend.commit(batchOf(a.plan()), 'strict')).rejects.toMatchObject({ name: 'VersionConflict' })
    expect(textOf(storage, 'a')).toBe(before)
  })

  it('does not open over a storage that takes nothing', async () => {
    await expect(openWebStorageBackend({ name: 'app', storage: createWebStorage(0) })).rejects.toMatchObject({
      name: 'StorageUnavailable',
      cause: { name: 'QuotaExceeded' },
    })
    const forbidden = {
      ...createWebStorage(),
      setItem: () => {
        throw new DOMException('Access is denied.', 'SecurityError')
      },
    }
    await expect(openWebStorageBackend({ name: 'app', storage: forbidden })).rejects.toMatchObject({
      name: 'StorageUnavailable',
    })
  })

  it('stores where Web Locks are refused', async () => {
    const refuse = (): Promise<never> => Promise.reject(new DOMException('No', 'SecurityError'))
    const locks = { request: refuse, query: refuse } as unknown as LockManager
    const store = createSessionStore(await openWebStorageBackend({ name: 'app', storage: createWebStorage(), locks }))
    await store.append('s', [{ type: 'message', message: { role: 'user', content: 'hi' } }])
    expect((await store.read('s')).entries).toHaveLength(1)
  })

  it('opens over a full storage with sessions in it', async () => {
    const storage = createWebStorage(3_000)
    const first = await openWebStorageBackend({ name: 'app', storage })
    await planSession('a', 1).write(first)
    storage.setItem('filler', 'x'.repeat(3_000 - 6 - snapshot(storage).flat().join('').length))
    expect(await (await openWebStorageBackend({ name: 'app', storage })).listSessions()).toHaveLength(1)
  })
})
