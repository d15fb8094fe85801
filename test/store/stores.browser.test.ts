import workerSource from 'virtual:session-worker-source'
import { expect, it } from 'vitest'
import { openSessionStore, type StoreMode } from '../../src/index.ts'
import { sessionStoreConformance } from '../../src/testing/session-store-conformance.ts'
import type { OpenedStore, StoreUnderTest } from '../../src/testing/store-under-test.ts'
import { damageFirstInIndexedDb, damageFirstInWebStorage } from './support/damage-first-record.ts'

/** The worker as it is published, in one file, and one for all tests: starting it costs more than most of them. */
const workerUrl = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }))
const worker = new Worker(workerUrl, { type: 'module' })

const abandonedDrafts = 'a page that closes its store ends the replies it was streaming'

/** What the SDK opens when it may use this mode only. */
async function openIn(mode: StoreMode): Promise<OpenedStore & { readonly name: string }> {
  const name = `conformance-${crypto.randomUUID()}`
  // With a mirror each of these hundreds of openings takes longer; `stores.test.ts` has a store with one.
  const openStore = () => openSessionStore({ name, worker, modes: [mode], mirror: false })
  return { name, store: await openStore(), reopen: openStore, openAnother: openStore, dispose: () => forget(name) }
}

/** Does not end while somebody holds the database open after its stores were closed. */
async function forget(name: string): Promise<void> {
  for (const key of Object.keys(localStorage)) if (key.includes(name)) localStorage.removeItem(key)
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

const inIndexedDb = (name: string, mode: StoreMode): StoreUnderTest => ({
  name,
  durable: true,
  deviations: { abandonedDrafts },
  open: async () => {
    const opened = await openIn(mode)
    return { ...opened, damage: (key) => damageFirstInIndexedDb(indexedDB, IDBKeyRange, opened.name, key) }
  },
})

const suts: readonly StoreUnderTest[] = [
  inIndexedDb('a worker', 'worker'),
  inIndexedDb('IndexedDB in the page', 'in-page'),
  {
    name: 'localStorage',
    durable: true,
    open: async () => {
      const opened = await openIn('web-storage')
      return { ...opened, damage: (key) => damageFirstInWebStorage(localStorage, `keepsession:${opened.name}`, key) }
    },
    deviations: { abandonedDrafts, putBlob: 'one picture would fill the place that all sessions share' },
  },
  {
    name: 'memory',
    durable: 'memory is gone when the store is closed',
    open: async () => {
      const { store, dispose } = await openIn('memory')
      return { store, dispose: dispose! }
    },
  },
]

it.each(['worker', 'in-page', 'web-storage', 'memory'] as const)('opens in mode %s, not in one further down', async (mode) => {
  const name = `conformance-${crypto.randomUUID()}`
  const client = await openSessionStore({ name, modes: [mode] })
  expect(await client.health()).toMatchObject({ mode, skipped: [] })
  await client.close()
  await forget(name)
})

for (const sut of suts) sessionStoreConformance(sut)
