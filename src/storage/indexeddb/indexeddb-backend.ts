import type { StorageBackend } from '../../contract/backend.ts'
import type { KeyringPlace } from '../../contract/encryption.ts'
import { blobKeeper } from './blob-keeper.ts'
import { unlessSealed } from './database-errors.ts'
import { createKeyRanges } from './keys.ts'
import { keyringAccess } from './keyring-access.ts'
import { type DatabaseFacts, openCoreBackend, type OpenIndexedDbOptions } from './core-backend.ts'
import { openWithDexie } from './open-with-dexie.ts'
import { placesReader } from './places-reader.ts'
import { type RowAccess, rowAccess } from './row-access.ts'
import { createRowSalvage } from './salvage-rows.ts'
import { setAside } from './set-aside.ts'
import { readOriginUsage, readOwnUsage, usageStores } from './usage.ts'

export type { OpenIndexedDbOptions } from './core-backend.ts'

/** A {@link StorageBackend} in IndexedDB, with what its opener must know about the database. */
export interface IndexedDbBackend extends StorageBackend, DatabaseFacts, KeyringPlace, RowAccess {}

/** @throws StorageUnavailable, VersionConflict, UpgradeBlocked */
export function openIndexedDbBackend(options: OpenIndexedDbOptions): Promise<IndexedDbBackend> {
  const ranges = createKeyRanges(options.IDBKeyRange ?? globalThis.IDBKeyRange)
  return openCoreBackend(openWithDexie, options, ({ read, write }) => ({
    ...keyringAccess({ read, write }),
    ...rowAccess({ read, write }, options.IDBKeyRange),
    ...placesReader({ read }, options.IDBKeyRange),
    ...blobKeeper({ read, write }, options.IDBKeyRange),
    salvage: createRowSalvage({ read, write }, ranges, unlessSealed(options.name, options.canUnseal ?? false)),
    setAside: async (session: number, lane: number, record: string, broken?: readonly string[]) => {
      await write(['entries', 'bodies', 'aside'], 'strict', 'set a record aside', (steps) => setAside(steps, ranges, session, lane, record, broken))
    },
    usage: async () => ({ ...(await read(usageStores, 'measure usage', readOwnUsage)), ...(await readOriginUsage()) }),
  }))
}
