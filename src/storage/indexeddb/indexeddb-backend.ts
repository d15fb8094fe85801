import type { StorageBackend } from '../../contract/backend.ts'
import { blobKeeper } from './blob-keeper.ts'
import { type DatabaseFacts, openCoreBackend, type OpenIndexedDbOptions } from './core-backend.ts'
import { openWithDexie } from './open-with-dexie.ts'
import { placesReader } from './places-reader.ts'
import { setAside } from './set-aside.ts'
import { readOriginUsage, readOwnUsage, usageStores } from './usage.ts'

export type { OpenIndexedDbOptions } from './core-backend.ts'

/** A {@link StorageBackend} in IndexedDB, with what its opener must know about the database. */
export interface IndexedDbBackend extends StorageBackend, DatabaseFacts {}

/** @throws StorageUnavailable, VersionConflict, UpgradeBlocked */
export function openIndexedDbBackend(options: OpenIndexedDbOptions): Promise<IndexedDbBackend> {
  return openCoreBackend(openWithDexie, options, ({ read, write }) => ({
    ...placesReader({ read }, options.IDBKeyRange),
    ...blobKeeper({ read, write }, options.IDBKeyRange),
    setAside: async (session: number, lane: number, record: string) => {
      await write(['entries', 'bodies', 'aside'], 'strict', 'set a record aside', (steps) => setAside(steps, session, lane, record))
    },
    usage: async () => ({ ...(await read(usageStores, 'measure usage', readOwnUsage)), ...(await readOriginUsage()) }),
  }))
}
