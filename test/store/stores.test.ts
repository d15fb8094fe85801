import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { sessionStoreConformance } from '../../src/testing/session-store-conformance.ts'
import type { StoreUnderTest } from '../../src/testing/store-under-test.ts'
import { createJournalDevice } from '../mirror/support/journal-device.ts'
import { createWebStorage } from '../support/web-storage.ts'
import { storeProperties } from './properties.ts'
import { damageFirstInIndexedDb, damageFirstInWebStorage } from './support/damage-first-record.ts'

const name = 'conformance'

const memory: StoreUnderTest = {
  name: 'memory',
  durable: 'memory is gone when the store is closed',
  open: async () => ({ store: createSessionStore(createMemoryBackend()) }),
}

const indexedDb: StoreUnderTest = {
  name: 'IndexedDB',
  durable: true,
  open: async () => {
    const indexedDB = new IDBFactory()
    const openStore = async (): Promise<SessionStore> =>
      createSessionStore(await openIndexedDbBackend({ name, indexedDB, IDBKeyRange }))
    return {
      store: await openStore(),
      reopen: openStore,
      openAnother: openStore,
      damage: (key) => damageFirstInIndexedDb(indexedDB, IDBKeyRange, name, key),
    }
  },
}

/** Each store answers before its database has what it answered. Others are called once that has it. */
const journalled: StoreUnderTest = {
  name: 'IndexedDB behind a journal',
  durable: true,
  open: async () => {
    let turns = 0
    const device = createJournalDevice(name, () => (turns++ % 3) * 4)
    const openStore = async (): Promise<SessionStore> => (await device.open()).store
    const openAnother = async (): Promise<SessionStore> => {
      await device.settled()
      const tab = await device.open()
      const patient = Object.entries(tab.store).map(([method, call]) => [
        method,
        (...args: readonly unknown[]) => {
          const waiting = device.othersSettled(tab)
          const run = call as (...given: readonly unknown[]) => unknown
          return waiting === undefined ? run(...args) : waiting.then(() => run(...args))
        },
      ])
      return Object.fromEntries(patient) as SessionStore
    }
    return {
      store: await openAnother(),
      reopen: openStore,
      openAnother,
      damage: async (key) => {
        await device.settled()
        await damageFirstInIndexedDb(device.indexedDB, IDBKeyRange, name, key)
      },
    }
  },
}

const webStorage: StoreUnderTest = {
  name: 'Web Storage',
  durable: true,
  open: async () => {
    const storage = createWebStorage()
    const openStore = async (): Promise<SessionStore> =>
      createSessionStore(await openWebStorageBackend({ name, storage }))
    return {
      store: await openStore(),
      reopen: openStore,
      openAnother: openStore,
      damage: (key) => damageFirstInWebStorage(storage, name, key),
    }
  },
  deviations: { putBlob: 'one picture would fill the place that all sessions share' },
}

for (const sut of [memory, indexedDb, journalled, webStorage]) {
  sessionStoreConformance(sut)
  storeProperties(sut)
}
