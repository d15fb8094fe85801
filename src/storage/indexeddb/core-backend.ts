import type { CoreBackend, RangeRead, RangeResult } from '../../contract/backend.ts'
import type { NoticeChange } from '../../contract/change.ts'
import { SessionError } from '../../contract/errors.ts'
import type { OperationRow } from '../../contract/operation-row.ts'
import type { HotRow } from '../../contract/rows.ts'
import type { FoundRow, RowsResult, RowsStamp } from '../../contract/stored-row.ts'
import { commitBatch, hasNews, refuseOtherKeyring, storesOf } from './commit.ts'
import { type Connection, openConnection } from './connection.ts'
import { keysChangedError, refuseSealed, unlessSealed } from './database-errors.ts'
import type { LossListener } from './database-source.ts'
import { findErasure } from './erasure-calls.ts'
import { bytesOf, createQuotaExplainer } from './explain-quota.ts'
import { findByMid } from './find-by-mid.ts'
import { findOperation } from './find-operation.ts'
import { claimLeaderRow } from './leader-row.ts'
import { listDrafts } from './list-drafts.ts'
import { loadDrafts } from './load-drafts.ts'
import { listSessions, loadSession } from './load-session.ts'
import type { DatabaseOpener } from './open-database.ts'
import { readBlob } from './read-blob.ts'
import { getRows, rangeRows } from './read-collections.ts'
import { readRange } from './read-range.ts'
import { readTogether } from './read-together.ts'
import { createKeyRanges, type KeyRanges } from './record-keys.ts'
import { type BlobRow, flushedKey, type HeldRow } from './schema.ts'
import type { ReadSteps } from './transaction.ts'
import { readOwner } from './write-aliases.ts'

/** How to open an IndexedDB backend. */
export interface OpenIndexedDbOptions {
  /** Name of the database. */
  readonly name: string
  /** Default: the global one. */
  readonly indexedDB?: IDBFactory
  /** Default: the global one. */
  readonly IDBKeyRange?: typeof IDBKeyRange
  /** How long another tab may block the opening before it fails. Default 5,000 ms. */
  readonly blockedAfterMs?: number
  /** Whether the caller can decrypt content. Default false: a database with encrypted content is refused. */
  readonly canUnseal?: boolean
  /** Called with notices about the database itself. */
  readonly onNotice?: (notice: NoticeChange) => void
  /** Called when the connection is lost. */
  readonly onLost?: LossListener
}

/** Facts about a database that callers need to open a backend on it. */
export interface DatabaseFacts {
  /** Drawn when the database was created. When it differs from last time, the old database is lost. */
  readonly epoch: string
  /** Whether this opening created the database. */
  readonly isNew: boolean
}

/**
 * A {@link CoreBackend} in IndexedDB.
 *
 * @param opener - opens the database
 * @param more - makes further methods of the backend
 * @throws StorageUnavailable, VersionConflict, UpgradeBlocked
 */
export async function openCoreBackend<More extends object>(
  opener: DatabaseOpener,
  options: OpenIndexedDbOptions,
  more: (connection: Connection) => More,
): Promise<CoreBackend & DatabaseFacts & More> {
  const { name, IDBKeyRange = globalThis.IDBKeyRange, canUnseal = false, onNotice } = options
  const connection = await connect(opener, options, IDBKeyRange, canUnseal)
  const { epoch, isNew, read, write, close } = connection
  const ranges = createKeyRanges(IDBKeyRange)
  const readable = unlessSealed(name, canUnseal)
  const lookUp = readTogether<OperationRow | undefined, { readonly session: number; readonly id: string }>(
    connection,
    ['operations'],
    'look up an operation',
    (steps, { session, id }) => findOperation(steps, ranges, session, id),
  )
  const readList = async (onDamaged: (key: string) => void): Promise<readonly HotRow[]> =>
    (await read<readonly HotRow[]>(['sessions'], 'list the sessions', (steps) => listSessions(steps, onDamaged))).map(
      (row) => readable(row),
    )
  const quota = createQuotaExplainer(
    () => readList(() => undefined),
    (notice) => onNotice?.({ type: 'notice', ...notice }),
  )

  async function inRoom(bytes: number, writing: Promise<boolean>): Promise<boolean> {
    try {
      const isStored = await writing
      quota.stored()
      return isStored
    } catch (error) {
      throw await quota.explain(error, bytes)
    }
  }

  return {
    kind: 'indexeddb',
    epoch,
    isNew,
    ...inOneRead(connection, ranges, readable),
    listSessions: (onDamaged = () => undefined) => readList(onDamaged),
    findByMid: (session, mids) =>
      read(['entries', 'bodies'], 'look up message ids', (steps) => findByMid(steps, session, mids)),
    findOperation: (session, id) => lookUp({ session, id }),
    findErasure: (call) => read(['info'], 'look up an erasure', (steps) => findErasure(steps, call)),
    listDrafts: () => read(['drafts'], 'list drafts', listDrafts),
    loadDrafts: (session) => read(['drafts'], 'load drafts', (steps) => loadDrafts(steps, ranges.session(session))),
    getRows: async (collection, keys) => {
      const found = await read<readonly FoundRow[]>(['rows'], 'read rows', (steps) => getRows(steps, collection, keys))
      return found.map((row) => row && readable(row))
    },
    rangeRows: async (range) => {
      const found = await read<RowsResult>(['rows'], 'read rows', (steps) => rangeRows(steps, ranges, range))
      for (const { row } of found.rows) if (row) readable(row)
      return found
    },
    commit: async (batch, durability) => {
      const stale = new Set<string>()
      const collected = new Set<string>()
      let rows: { readonly changed?: readonly boolean[]; readonly stamped?: RowsStamp } = {}
      const isStored = await inRoom(
        bytesOf(batch),
        write(storesOf(batch), durability, 'store a change', (steps) => {
          if (!canUnseal && hasNews(batch)) refuseSealed(steps, name)
          commitBatch(steps, ranges, batch, stale, collected, (changed, stamped) => {
            rows = { changed, ...(stamped && { stamped }) }
          })
        }),
      )
      return isStored
        ? { stored: true, ...(collected.size > 0 && { collected: [...collected] }), ...rows }
        : { stored: false, stale: [...stale] }
    },
    claimTerm: (claim) => claimLeaderRow(connection, claim),
    flush: async () => {
      // The browser need not bring a transaction without writes to the disk.
      await write(['info'], 'strict', 'flush', ({ store }) => void store('info').put(Date.now(), flushedKey))
    },
    putBlob: async (hash, blob, at, size = blob.size, sealedWith) => {
      const putting = write(['blobs', 'references', 'info'], 'strict', 'store a blob', (steps) => {
        if (!canUnseal) refuseSealed(steps, name)
        if (sealedWith !== undefined) refuseOtherKeyring(steps, sealedWith)
        steps.store('blobs').put({ size, blob } satisfies BlobRow, hash)
        steps.store('references').put({ unnamedSince: at } satisfies HeldRow, [hash])
      })
      if (!(await inRoom(blob.size, putting))) throw keysChangedError(name)
    },
    getBlob: (hash) => readBlob(connection, hash),
    close,
    ...more(connection),
  }
}

/** Reads many sessions in one transaction: jobs and sync ask for many at once, and a page that goes over all of them. */
function inOneRead(
  connection: Connection,
  ranges: KeyRanges,
  readable: ReturnType<typeof unlessSealed>,
): Pick<CoreBackend, 'loadSession' | 'readRange' | 'findAlias'> {
  const load = readTogether(connection, ['sessions', 'details'], 'load a session', loadSession)
  return {
    loadSession: async (key) => {
      const rows = await load(key)
      return rows && { hot: readable(rows.hot), cold: readable(rows.cold) }
    },
    readRange: readTogether(
      connection,
      ['entries', 'bodies'],
      'read entries',
      (steps: ReadSteps<RangeResult>, range: RangeRead) => readRange(steps, ranges, range),
    ),
    findAlias: readTogether(
      connection,
      ['aliases'],
      'look up an alias',
      (steps: ReadSteps<string | undefined>, alias) => readOwner(steps, alias, steps.answer),
    ),
  }
}

/** Opens the database with what this platform offers. */
async function connect(
  opener: DatabaseOpener,
  options: OpenIndexedDbOptions,
  keyRanges: typeof IDBKeyRange,
  canUnseal: boolean,
): Promise<Connection> {
  const { name, indexedDB = globalThis.indexedDB, blockedAfterMs = 5000, onNotice, onLost } = options
  // The types declare it, but it is absent on servers and where the browser forbids it.
  if (!(indexedDB as unknown) || !(keyRanges as unknown)) {
    throw new SessionError(
      'StorageUnavailable',
      `Could not open the database "${name}": there is no IndexedDB here. Use another backend.`,
    )
  }
  const notify = (notice: NoticeChange['name'], message: string): void =>
    onNotice?.({ type: 'notice', name: notice, message })
  return openConnection(opener, {
    name,
    indexedDB,
    IDBKeyRange: keyRanges,
    blockedAfterMs,
    canUnseal,
    notify,
    ...(onLost === undefined ? {} : { onLost }),
  })
}
