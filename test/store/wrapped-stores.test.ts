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
import { sessionStoreConformance } from '../../src/testing/session-store-conformance.ts'
import type { StoreUnderTest } from '../../src/testing/store-under-test.ts'
import { createProfile } from '../client/support/open-port-client.ts'
import { createMemoryFolder } from '../mirror/support/memory-folder.ts'
import { storeProperties } from './properties.ts'
import { damageFirstInIndexedDb } from './support/damage-first-record.ts'

const name = 'conformance'

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

for (const sut of [mirrored, encrypted, overPorts, bareComlink, ephemeral]) {
  sessionStoreConformance(sut)
  // A port costs ten times the time, as does a seal, and adds nothing to what is checked here.
  storeProperties(sut, sut === overPorts || sut === bareComlink || sut === encrypted ? 8 : 40)
}
