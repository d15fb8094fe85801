import type { CoreBackend } from '../../contract/backend.ts'
import type { NoticeChange } from '../../contract/change.ts'
import { SessionError } from '../../contract/errors.ts'
import type { OperationRow } from '../../contract/rows.ts'
import { commitBatch, storesOf } from './commit.ts'
import { type Connection, openConnection } from './connection.ts'
import { findByMid } from './find-by-mid.ts'
import { createKeyRanges } from './keys.ts'
import { loadDrafts } from './load-drafts.ts'
import { listSessions, loadSession } from './load-session.ts'
import type { DatabaseOpener } from './open-database.ts'
import { readRange } from './read-range.ts'
import type { AliasRow, BlobRow } from './schema.ts'

/** How to open an IndexedDB backend. */
export interface OpenIndexedDbOptions {
  /** Name of the database. */
  readonly name: string
  /** Default: the global one. */
  readonly indexedDB?: IDBFactory
  /** Default: the global one. */
  readonly IDBKeyRange?: typeof IDBKeyRange
  /** How long another tab may hold up the opening before it is given up. Default 5,000 ms. */
  readonly blockedAfterMs?: number
  /** Hears what happens to the database itself. */
  readonly onNotice?: (notice: NoticeChange) => void
}

/** What the opener of a backend must know about its database. */
export interface DatabaseFacts {
  /** Drawn when the database was created. Another one than last time: the old database is lost. */
  readonly epoch: string
  /** Whether this opening created the database. */
  readonly isNew: boolean
}

/**
 * A {@link CoreBackend} in IndexedDB.
 *
 * @param opener - opens the database
 * @param more - makes methods that the backend shall have besides
 * @throws StorageUnavailable, VersionConflict, UpgradeBlocked
 */
export async function openCoreBackend<More extends object>(opener: DatabaseOpener, options: OpenIndexedDbOptions, more: (connection: Connection) => More): Promise<CoreBackend & DatabaseFacts & More> {
  const { name, indexedDB = globalThis.indexedDB, IDBKeyRange = globalThis.IDBKeyRange, blockedAfterMs = 5000, onNotice } = options
  // Declared by the types, yet absent on servers and where the browser forbids it.
  if (!(indexedDB as unknown) || !(IDBKeyRange as unknown)) {
    throw new SessionError('StorageUnavailable', `Could not open the database "${name}": there is no IndexedDB here. Use another backend.`)
  }
  const notify = (notice: NoticeChange['name'], message: string): void => onNotice?.({ type: 'notice', name: notice, message })
  const connection = await openConnection(opener, { name, indexedDB, IDBKeyRange, blockedAfterMs, notify })
  const { epoch, isNew, read, write, close } = connection
  const ranges = createKeyRanges(IDBKeyRange)

  return {
    kind: 'indexeddb',
    epoch,
    isNew,
    loadSession: (key) => read(['sessions', 'details'], 'load a session', (steps) => loadSession(steps, key)),
    listSessions: () => read(['sessions'], 'list the sessions', listSessions),
    findAlias: (alias) =>
      read<string | undefined>(['aliases'], 'look up an alias', ({ store, read, answer }) =>
        read<AliasRow | undefined>(store('aliases').get(alias), (row) => answer(row?.key)),
      ),
    readRange: (range) => read(['entries', 'bodies'], 'read entries', (steps) => readRange(steps, ranges, range)),
    findByMid: (session, mids) => read(['entries', 'bodies'], 'look up message ids', (steps) => findByMid(steps, session, mids)),
    findOperation: (session, id) =>
      read<OperationRow | undefined>(['operations'], 'look up an operation', ({ store, read, answer }) =>
        read<OperationRow[][]>(store('operations').getAll(ranges.session(session)), (commits) => answer(commits.flat().findLast((operation) => operation.id === id))),
      ),
    loadDrafts: (session) => read(['drafts'], 'load drafts', (steps) => loadDrafts(steps, ranges.session(session))),
    commit: async (batch, durability) => {
      const stale = new Set<string>()
      const isStored = await write(storesOf(batch), durability, 'store a change', (steps) => commitBatch(steps, ranges, batch, stale))
      return isStored ? { stored: true } : { stored: false, stale: [...stale] }
    },
    putBlob: async (hash, blob) => {
      await write(['blobs'], 'strict', 'store a blob', ({ store }) => void store('blobs').put({ size: blob.size, blob } satisfies BlobRow, hash))
    },
    getBlob: (hash) =>
      read<Blob | undefined>(['blobs'], 'read a blob', ({ store, read, answer }) => read<BlobRow | undefined>(store('blobs').get(hash), (row) => answer(row?.blob))),
    close,
    ...more(connection),
  }
}
