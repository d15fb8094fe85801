import { afterAll, describe, expect, it } from 'vitest'
import { openCoreBackend } from '../../src/storage/indexeddb/core-backend.ts'
import {
  type IndexedDbBackend,
  type OpenIndexedDbOptions,
  openIndexedDbBackend,
} from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { openNatively } from '../../src/storage/indexeddb/open-natively.ts'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { batchOf, entriesAt, entryAt, inLane, orderAt, planSession, readLane } from './backend-fixtures.ts'
import { backendLaws } from './backend-laws.ts'
import { changeStore, damageIndexedDb } from './damage-indexeddb.ts'
import { damageWebStorage } from './damage-web-storage.ts'
import { schemaOf } from './schema-of.ts'

const names: string[] = []
const newName = (): string => {
  const name = `laws ${names.length}`
  names.push(name)
  return name
}
/** How the session worker opens. */
const openWithoutDexie = (options: OpenIndexedDbOptions) =>
  openCoreBackend(openNatively, options, () => ({})) as Promise<IndexedDbBackend>
const currentName = (): string => names.at(-1)!

const deleteDatabase = (name: string) =>
  new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })

afterAll(async () => {
  for (const name of names) await deleteDatabase(name)
  localStorage.clear()
})

backendLaws({
  name: 'IndexedDB in a browser',
  open: () => openIndexedDbBackend({ name: newName() }),
  reopen: () => openIndexedDbBackend({ name: currentName() }),
  damage: (_, session, lane, record) => damageIndexedDb(indexedDB, currentName(), [session, lane, record]),
})

describe('opened natively', () => {
  it('makes the same stores as Dexie', async () => {
    const schemas = []
    for (const open of [openIndexedDbBackend, openWithoutDexie]) {
      const name = newName()
      await (await open({ name })).close()
      const database = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open(name)
        request.onsuccess = () => resolve(request.result)
      })
      schemas.push(schemaOf(database))
      database.close()
    }
    expect(schemas[1]).toEqual(schemas[0])
  })
})

backendLaws({
  name: 'Web Storage in a browser',
  open: async () => {
    localStorage.clear()
    return openWebStorageBackend({ name: newName(), storage: localStorage, locks: navigator.locks })
  },
  reopen: () => openWebStorageBackend({ name: currentName(), storage: localStorage, locks: navigator.locks }),
  damage: (_, session, lane, record) => damageWebStorage(localStorage, session, lane, record),
  hasBlobs: false,
})

describe.each([
  ['with Dexie', openIndexedDbBackend],
  ['natively', openWithoutDexie],
] as const)('a browser, the database opened %s,', (_, open) => {
  it('lets the database be deleted under a backend, which then refuses to go on', async () => {
    const notices: string[] = []
    const name = newName()
    const backend = await open({ name, onNotice: (notice) => notices.push(notice.name) })
    await planSession('a', 1).write(backend)
    await deleteDatabase(name)
    await expect(backend.commit(batchOf(planSession('b', 2).plan()), 'strict')).rejects.toMatchObject({
      name: 'DataLoss',
    })
    // WebKit lists a creation that was undone as a database of version 0, which the next opening makes anew.
    expect(
      (await indexedDB.databases()).filter(({ version }) => version !== 0).map((database) => database.name),
    ).not.toContain(name)
    expect(notices).toEqual(['dataLost'])
  })

  it('refuses a database of newer code', async () => {
    const name = newName()
    await new Promise<void>((resolve) => {
      const request = indexedDB.open(name, 10_000)
      request.onsuccess = () => {
        request.result.close()
        resolve()
      }
    })
    await expect(open({ name })).rejects.toMatchObject({ name: 'VersionConflict' })
  })
})

describe('a browser', () => {
  it('rolls back a batch that is stale in its last session, with all its records', async () => {
    const name = newName()
    const backend = await openIndexedDbBackend({ name })
    const a = planSession('a', 1)
    await a.write(backend, { append: inLane(0, entriesAt(0, 99)) })
    const stale = planSession('b', 2)
    stale.plan()
    const batch = batchOf(
      a.plan({
        append: inLane(0, entriesAt(100, 2_000)),
        pack: { lane: 0, from: orderAt(64) },
        erase: [{ lane: 0, orders: [orderAt(0)] }],
      }),
      stale.plan(),
    )
    await expect(backend.commit(batch, 'strict')).resolves.toEqual({ stored: false, stale: ['b'] })
    expect((await readLane(backend, 1)).entries).toEqual(entriesAt(0, 99))
    expect(await changeStore(indexedDB, name, 'entries', (store) => store.count())).toBe(2)
  })

  it('keeps two connections from writing over each other', async () => {
    const name = newName()
    const tabs = [await openIndexedDbBackend({ name }), await openIndexedDbBackend({ name })]
    await planSession('a', 1).write(tabs[0]!)
    let stored = 0
    const append = async (tab: number): Promise<void> => {
      const backend = tabs[tab]!
      while (stored < 40) {
        const { hot } = (await backend.loadSession('a'))!
        const n = hot.version * 2 + tab
        const write = {
          ...planSession('a', 1).plan({ append: inLane(0, [entryAt(n)]) }),
          hot: { ...hot, version: hot.version + 1 },
        }
        const { cold: _, ...warm } = write
        if ((await backend.commit(batchOf(warm), 'relaxed')).stored) stored++
      }
    }
    await Promise.all([append(0), append(1)])
    const { entries } = await readLane(tabs[0]!, 1)
    expect(entries.length).toBe(stored)
    expect((await tabs[1]!.loadSession('a'))?.hot.version).toBe(stored + 1)
  })

  it('reads a value larger than it keeps in line', async () => {
    const backend = await openIndexedDbBackend({ name: newName() })
    const bytes = crypto.getRandomValues(new Uint8Array(60_000))
    const large = entryAt(1, { data: { text: Array.from(bytes, (byte) => byte.toString(36)).join(' ') } })
    await planSession('a', 1).write(backend, { append: inLane(0, [entryAt(0), large, entryAt(2)]) })
    expect((await readLane(backend, 1)).entries).toEqual([entryAt(0), large, entryAt(2)])
  })
})
