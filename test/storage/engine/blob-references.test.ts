import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StorageBackend } from '../../../src/contract/backend.ts'
import { namedBlobs } from '../../../src/domain/named-blobs.ts'
import { mirrorCommits } from '../../../src/mirror/mirror-commits.ts'
import { openMirror } from '../../../src/mirror/open-mirror.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { allChanges, entryOf, say, user } from '../../../src/testing/helpers.ts'
import { createMemoryFolder } from '../../mirror/support/memory-folder.ts'
import { changeStore, damageIndexedDb } from '../damage-indexeddb.ts'

const name = 'blobs'
const day = 24 * 60 * 60 * 1000

interface Place {
  readonly backends: readonly StorageBackend[]
  readonly indexedDB: IDBFactory
}

async function openTwice(): Promise<Place> {
  const indexedDB = new IDBFactory()
  const open = () => openIndexedDbBackend({ name, indexedDB, IDBKeyRange })
  return { indexedDB, backends: [await open(), await open()] }
}

async function inMemory(): Promise<Pick<Place, 'backends'>> {
  const backend = createMemoryBackend()
  return { backends: [backend, backend] }
}

/** What the raw entries of every session name. */
async function recount(
  backend: StorageBackend,
): Promise<[counted: unknown, stored: unknown, named: ReadonlySet<string>]> {
  // One that knows nothing yet: the others are not told what their twin does.
  const store = createSessionStore(backend)
  const counted: Record<string, unknown> = {}
  const stored: Record<string, unknown> = {}
  const all = new Set<string>()
  for (const { key, session } of await backend.listSessions()) {
    const counts: Record<string, number> = {}
    // By its own key: of a session whose history was taken over, the name leads elsewhere.
    const { entries } =
      key === (await store.resolveSessionKey(key))
        ? { entries: await allChanges(store, key) }
        : { entries: await rawEntries(backend, key) }
    for (const entry of entries) for (const hash of namedBlobs(entry)) counts[hash] = (counts[hash] ?? 0) + 1
    for (const hash of Object.keys(counts)) all.add(hash)
    counted[key] = counts
    stored[key] = Object.fromEntries((await backend.blobReferences(session))!.map(({ hash, count }) => [hash, count]))
  }
  return [counted, stored, all]
}

async function rawEntries(backend: StorageBackend, key: string) {
  const { hot, cold } = (await backend.loadSession(key))!
  const lanes = await Promise.all(
    [-1, ...Object.values(cold.lanes)].map((lane) =>
      backend.readRange({ session: hot.session, lane, from: '', to: '~' }),
    ),
  )
  return lanes.flatMap(({ entries }) => entries)
}

const keys = ['a', 'b']
const anOperation = fc.record({
  what: fc.constantFrom(
    'put',
    'append',
    'append',
    'append',
    'large',
    'edit',
    'remove',
    'truncate',
    'truncate',
    'compact',
    'compact',
    'compact',
    'meta',
    'delete',
    'undelete',
    'purge',
    'merge',
    'branch',
    'promote',
    'set',
    'wait',
  ),
  tab: fc.nat(1),
  key: fc.nat(keys.length - 1),
  to: fc.nat(keys.length - 1),
  blob: fc.nat(3),
  together: fc.boolean(),
})

describe.each([
  ['in IndexedDB', openTwice],
  ['in memory', inMemory],
] as const)('blobs %s', (_, open) => {
  it('are counted as the raw entries name them, and kept as long, whatever is done in two tabs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anOperation, { minLength: 10, maxLength: 40, size: 'max' }), async (operations) => {
        let now = 1_750_000_000_000
        const { backends } = await open()
        const stores = backends.map((backend) => createSessionStore(backend, { now: () => (now += 1) }))
        const put = new Map<string, number>()
        const run = async ({ what, tab, key: at, to, blob }: (typeof operations)[number]): Promise<void> => {
          const store = stores[tab]!
          const key = keys[at]!
          const bytes = new Blob([`blob ${blob}`])
          // Who names a blob has put it.
          const hash = async (): Promise<string> => {
            const found = await store.putBlob(bytes)
            put.set(found, now)
            return found
          }
          switch (what) {
            case 'put':
              return void (await hash())
            case 'append':
              return void (await say(store, key, [`see ${await hash()}`]))
            case 'large':
              return void (await store.append(key, [entryOf(user(`${'x'.repeat(40_000)} ${await hash()}`))]))
            case 'edit': {
              const last = (await store.read(key, { last: 1 })).entries[0]
              return last && store.edit(key, last, user(`edited ${await hash()}`))
            }
            case 'remove': {
              const last = (await store.read(key, { last: 1 })).entries[0]
              return last && void (await store.remove(key, last))
            }
            case 'truncate':
              return store.truncateHistory(key, 1)
            case 'compact':
              return void (await store.reclaim(key))
            case 'meta':
              return void (await store.updateMeta(key, { custom: { avatar: await hash() } }))
            case 'delete':
              return store.delete(key)
            case 'undelete':
              return store.undelete(key)
            case 'purge':
              return store.purge(key)
            case 'merge':
              return void (await store.merge(keys[to]!, await allChanges(store, key)))
            case 'branch':
              return void (await store.openBranch(key, { after: 'start', head: true }))
            case 'promote':
              return void (await store.ensureSessionMetadata(`taker of ${key}`, undefined, [key]))
            case 'set':
              return store.setHistory(key, [user(`only ${await hash()}`)])
            case 'wait':
              return void (now += 2 * day)
          }
        }
        const running: Promise<void>[] = []
        for (const operation of operations) {
          // Who copies a session that is purged meanwhile copies what is gone.
          // Who has put a blob does not take days to name it.
          if (operation.what === 'purge' || operation.what === 'wait') await Promise.all(running)
          const done = run(operation).catch((error: Error) => {
            if (!['SessionNotFound', 'InvalidInput'].includes(error.name)) throw error
          })
          if (operation.together && operation.what !== 'purge') running.push(done)
          else await done
        }
        await Promise.all(running)
        const [counted, stored, named] = await recount(backends[0]!)
        expect(stored).toEqual(counted)
        for (const hash of named) if (put.has(hash)) expect(await stores[0]!.getBlob(hash)).toBeDefined()
        for (const hash of put.keys())
          if ((await stores[0]!.getBlob(hash)) === undefined) expect(named.has(hash)).toBe(false)
        expect((await stores[0]!.verify()).problems).toEqual([])
        now += 2 * day
        await stores[0]!.reclaim('nobody')
        for (const hash of put.keys())
          expect((await stores[1]!.getBlob(hash)) !== undefined).toBe((await recount(backends[0]!))[2].has(hash))
        for (const store of stores) await store.close()
      }),
      { numRuns: 30 },
    )
  }, 120_000)
})

describe('a blob that an entry names', () => {
  async function openMirrored() {
    const indexedDB = new IDBFactory()
    const folder = createMemoryFolder()
    const backend = await openIndexedDbBackend({ name, indexedDB, IDBKeyRange })
    const mirror = openMirror({ folder, epoch: backend.epoch, boot: 'boot' }, (reason) => {
      throw new Error(reason)
    })
    return { indexedDB, folder, store: createSessionStore(mirrorCommits(backend, mirror)) }
  }

  it('is told when its bytes are gone or others, the session stays readable, and the mirror gives them back', async () => {
    const { indexedDB, folder, store } = await openMirrored()
    const [gone, other] = [await store.putBlob(new Blob(['gone'])), await store.putBlob(new Blob(['other']))]
    await say(store, 'a', [gone, other, 'f'.repeat(64)])
    await changeStore(indexedDB, name, 'blobs', (blobs) => blobs.delete(gone))
    await changeStore(indexedDB, name, 'blobs', (blobs) => blobs.put({ size: 1, blob: new Blob(['?']) }, other))
    const { problems } = await store.verify()
    expect(problems.map(({ kind, at }) => [kind, at]).sort()).toEqual(
      [
        ['blob', gone],
        ['blob', other],
      ].sort(),
    )
    expect([await store.getBlob(gone), (await store.read('a')).entries.length]).toEqual([undefined, 3])
    expect(await store.repair()).toMatchObject({ repaired: 2 })
    expect([
      await (await store.getBlob(gone))?.text(),
      await (await store.getBlob(other))?.text(),
      (await store.verify()).problems,
    ]).toEqual(['gone', 'other', []])
    // With the last that names them they leave the mirror as well.
    expect((await folder.list()).filter((file) => file.startsWith('blob-'))).toHaveLength(2)
    // A repair has put them anew.
    await store.append('b', [entryOf(user(`${gone} ${other}`))])
    await store.purge('a')
    await store.purge('b')
    expect((await folder.list()).filter((file) => file.startsWith('blob-'))).toEqual([])
    await store.close()
  })

  it('is counted again by a repair, and kept while entries are lost that may name it', async () => {
    const indexedDB = new IDBFactory()
    const backend = await openIndexedDbBackend({ name, indexedDB, IDBKeyRange })
    const store = createSessionStore(backend)
    const hash = await store.putBlob(new Blob(['kept']))
    await say(store, 'a', [hash])
    await say(store, 'a', ['after it'])
    const entries = await allChanges(store, 'a')
    const { session } = (await backend.loadSession('a'))!.hot
    await damageIndexedDb(indexedDB, name, [session, 0, entries[0]!.order])
    expect(await store.repair()).toMatchObject({ repaired: expect.any(Number) as number })
    expect(await backend.blobReferences(session)).toEqual([{ hash, count: 0, wasPut: true }])
    await store.reclaim('a')
    expect(await store.getBlob(hash)).toBeDefined()
    await store.merge('a', entries)
    expect(await backend.blobReferences(session)).toEqual([{ hash, count: 1, wasPut: true }])
    await changeStore(indexedDB, name, 'references', (references) =>
      references.put({ session, count: 7 }, [hash, session]),
    )
    expect((await store.verify()).problems.map(({ kind }) => kind)).toEqual(['meta'])
    await store.repair()
    expect(await backend.blobReferences(session)).toEqual([{ hash, count: 1, wasPut: true }])
    await store.close()
  })
})
