import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { backendLaws } from './backend-laws.ts'
import { damageIndexedDb } from './damage-indexeddb.ts'

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
