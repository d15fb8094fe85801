import type { StorageBackend } from '../../contract/backend.ts'
import type { KeyringPlace } from '../../contract/encryption.ts'
import type { StoredRow } from '../../contract/stored-row.ts'
import { blobKeeper } from './blob-keeper.ts'
import { type DatabaseFacts, type OpenIndexedDbOptions, openCoreBackend } from './core-backend.ts'
import { unlessSealed } from './database-errors.ts'
import { type JournalMarks, journalMarks } from './journal-marks.ts'
import { keyringAccess } from './keyring-access.ts'
import { openWithDexie } from './open-with-dexie.ts'
import { placesReader } from './places-reader.ts'
import { listCollections } from './read-collections.ts'
import { createKeyRanges } from './record-keys.ts'
import { type RowAccess, rowAccess } from './row-access.ts'
import { createRowSalvage } from './salvage-rows.ts'
import { setAside } from './set-aside.ts'
import { setRowAside } from './set-row-aside.ts'
import { storedPurges } from './stored-purges.ts'
import { readOriginUsage, readOwnUsage, usageStores } from './usage.ts'
import { readRowsStamp } from './write-rows.ts'

export type { OpenIndexedDbOptions } from './core-backend.ts'

/** A {@link StorageBackend} in IndexedDB, with the facts about its database. */
export interface IndexedDbBackend extends StorageBackend, DatabaseFacts, KeyringPlace, RowAccess, JournalMarks {
  readonly lastRowsStamp: () => Promise<number>
}

/** @throws StorageUnavailable, VersionConflict, UpgradeBlocked */
export function openIndexedDbBackend(options: OpenIndexedDbOptions): Promise<IndexedDbBackend> {
  const ranges = createKeyRanges(options.IDBKeyRange ?? globalThis.IDBKeyRange)
  const readable = unlessSealed(options.name, options.canUnseal ?? false)
  return openCoreBackend(openWithDexie, options, ({ read, write }) => ({
    ...keyringAccess({ read, write }),
    ...journalMarks({ read, write }, options.IDBKeyRange),
    ...rowAccess({ read, write }, options.IDBKeyRange),
    ...placesReader({ read }, options.IDBKeyRange),
    ...blobKeeper({ read, write }, options.IDBKeyRange),
    ...storedPurges({ write }, options.IDBKeyRange),
    salvage: createRowSalvage({ read, write }, ranges, readable),
    setAside: async (session: number, lane: number, record: string, broken?: readonly string[]) => {
      await write(['entries', 'bodies', 'aside'], 'strict', 'set a record aside', (steps) =>
        setAside(steps, ranges, session, lane, record, broken),
      )
    },
    setRowAside: async (collection: string, key: string, broken?: StoredRow) => {
      let isMoved = false
      await write(['rows', 'aside'], 'strict', 'set a row aside', (steps) =>
        setRowAside(steps, collection, key, broken, () => {
          isMoved = true
        }),
      )
      return isMoved
    },
    listCollections: () => read(['rows'], 'list collections', (steps) => listCollections(steps, ranges)),
    lastRowsStamp: () => read(['rows'], 'read the stamp of the last change', readRowsStamp),
    usage: async () => ({ ...(await read(usageStores, 'measure usage', readOwnUsage)), ...(await readOriginUsage()) }),
  }))
}
