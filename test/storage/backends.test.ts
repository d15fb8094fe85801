import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { openWebStorageBackend } from '../../src/storage/web-storage-backend.ts'
import { createWebStorage } from '../support/web-storage.ts'
import { backendLaws } from './backend-laws.ts'
import { damageIndexedDb } from './damage-indexeddb.ts'
import { damageWebStorage } from './damage-web-storage.ts'

backendLaws({ name: 'memory', open: async () => createMemoryBackend() })

let factory = new IDBFactory()
const openHere = () => openIndexedDbBackend({ name: 'laws', indexedDB: factory, IDBKeyRange })
backendLaws({
  name: 'IndexedDB',
  open: () => {
    factory = new IDBFactory()
    return openHere()
  },
  reopen: openHere,
  damage: (_, session, lane, record) => damageIndexedDb(factory, 'laws', [session, lane, record]),
})

let storage = createWebStorage()
const openThere = () => openWebStorageBackend({ name: 'laws', storage })
backendLaws({
  name: 'Web Storage',
  open: () => {
    storage = createWebStorage()
    return openThere()
  },
  reopen: openThere,
  damage: (_, session, lane, record) => damageWebStorage(storage, session, lane, record),
  hasBlobs: false,
})
