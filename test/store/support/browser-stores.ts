import workerScript from 'virtual:session-worker-url'
import { openSessionStore } from '../../../src/index.ts'
import type { OpenedStore, StoreUnderTest } from '../../../src/testing/store-under-test.ts'
import type { StoreMode } from '../../../src/types.ts'
import { damageFirstInIndexedDb } from './damage-first-record.ts'

/** The worker as it is published, in one file, and one for all tests: starting it costs more than most of them. */
const workerUrl = URL.createObjectURL(await (await fetch(workerScript)).blob())
const worker = new Worker(workerUrl, { type: 'module' })

export const abandonedDrafts = 'a page that closes its store ends the replies it was streaming'

/** What the SDK opens when it may use this mode only. */
export async function openIn(mode: StoreMode): Promise<OpenedStore & { readonly name: string }> {
  const name = `conformance-${crypto.randomUUID()}`
  // With a mirror each of these hundreds of openings takes longer; `../stores.test.ts` has a store with one.
  const openStore = async () => (await openSessionStore({ name, worker, modes: [mode], mirror: false })).store
  return { name, store: await openStore(), reopen: openStore, openAnother: openStore, dispose: () => forget(name) }
}

/** Does not end while somebody holds the database open after its stores were closed. */
export async function forget(name: string): Promise<void> {
  for (const key of Object.keys(localStorage)) if (key.includes(name)) localStorage.removeItem(key)
  await new Promise<void>((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

export const inIndexedDb = (name: string, mode: StoreMode): StoreUnderTest => ({
  name,
  durable: true,
  deviations: { abandonedDrafts },
  open: async () => {
    const opened = await openIn(mode)
    return { ...opened, damage: (key) => damageFirstInIndexedDb(indexedDB, IDBKeyRange, opened.name, key) }
  },
})
