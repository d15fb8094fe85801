import { expose, wrap } from 'comlink'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { mirrorCommits } from '../../src/mirror/mirror-commits.ts'
import { openMirror } from '../../src/mirror/open-mirror.ts'
import { openKeys } from '../../src/sealing/open-keys.ts'
import { sealBackend } from '../../src/sealing/seal-backend.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createEphemeralStore } from '../../src/storage/ephemeral-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { sessionStoreConformance } from '../../src/testing/session-store-conformance.ts'
import type { StoreUnderTest } from '../../src/testing/store-under-test.ts'
import { createProfile } from '../client/support/open-port-client.ts'
import { createJournalDevice } from '../mirror/support/journal-device.ts'
import { createMemoryFolder } from '../mirror/support/memory-folder.ts'
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

const mirrored: StoreUnderTest = {
  name: 'IndexedDB with a mirror',
  durable: true,
  open: async () => {
    const indexedDB = new IDBFactory()
    const folder = createMemoryFolder()
    let boots = 0
    const openStore = async (): Promise<SessionStore> => {
      const backend = await openIndexedDbBackend({ name, indexedDB, IDBKeyRange })
      const mirror = openMirror({ folder, epoch: backend.epoch, boot: `boot${boots++}` }, (reason) => {
        throw new Error(reason)
      })
      return createSessionStore(mirrorCommits(backend, mirror))
    }
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

/** Here only: in a browser it would take a minute and a half, and what its worker does besides is in `test/sealing`. */
const encrypted: StoreUnderTest = {
  name: 'IndexedDB, encrypted',
  durable: true,
  open: async () => {
    const indexedDB = new IDBFactory()
    const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
    const openStore = async (): Promise<SessionStore> => {
      const backend = await openIndexedDbBackend({ name, indexedDB, IDBKeyRange, canUnseal: true })
      return createSessionStore(sealBackend(backend, await openKeys(backend, { key })))
    }
    return {
      store: await openStore(),
      reopen: openStore,
      openAnother: openStore,
      damage: (key) => damageFirstInIndexedDb(indexedDB, IDBKeyRange, name, key),
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

const overPorts: StoreUnderTest = {
  name: 'IndexedDB behind the worker’s host',
  durable: true,
  open: async () => {
    const profile = createProfile()
    const openStore = async (): Promise<SessionStore> => (await profile.open({ name })).store
    return {
      store: await openStore(),
      reopen: openStore,
      openAnother: openStore,
      damage: (key) => damageFirstInIndexedDb(profile.indexedDB, IDBKeyRange, name, key),
    }
  },
}

const bareComlink: StoreUnderTest = {
  name: 'memory behind bare Comlink',
  durable: 'memory is gone when the store is closed',
  open: async () => {
    const { port1, port2 } = new MessageChannel()
    expose(createSessionStore(createMemoryBackend()), port1)
    const store: SessionStore = wrap<SessionStore>(port2)
    return {
      store,
      dispose: async () => {
        port1.close()
        port2.close()
      },
    }
  },
  deviations: { uncloneable: 'a bare port refuses what it cannot clone' },
}

const ephemeral: StoreUnderTest = {
  name: 'ephemeral',
  durable: 'made for one sub-turn',
  open: async () => ({ store: createEphemeralStore() }),
  deviations: {
    oneHistory: 'made for one sub-turn',
    newestOnly: 'made for one sub-turn',
    listSessions: 'made for one sub-turn',
  },
}

for (const sut of [memory, indexedDb, mirrored, journalled, encrypted, webStorage, overPorts, bareComlink, ephemeral]) {
  sessionStoreConformance(sut)
  // A port costs ten times the time, as does a seal, and adds nothing to what is checked here.
  storeProperties(sut, sut === overPorts || sut === bareComlink || sut === encrypted ? 8 : 40)
}
