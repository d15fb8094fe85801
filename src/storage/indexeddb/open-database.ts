import { Dexie } from 'dexie'
import type { NoticeChange } from '../../contract/change.ts'
import { SessionError } from '../../contract/errors.ts'
import { type DatabaseInfo, formatVersion, infoKey, schemaVersion, stores } from './schema.ts'
import { toStorageError } from './storage-error.ts'
import { runRead } from './transaction.ts'
import { watchFactory } from './watched-factory.ts'

/** Where the database is, and what to do when something happens to it. */
export interface DatabaseSource {
  readonly name: string
  readonly indexedDB: IDBFactory
  readonly IDBKeyRange: typeof IDBKeyRange
  readonly blockedAfterMs: number
  readonly notify: (name: NoticeChange['name'], message: string) => void
}

/** An open connection. */
export interface OpenDatabase {
  readonly native: IDBDatabase
  readonly info: DatabaseInfo
  /** Whether this opening created the database. */
  readonly isNew: boolean
  close(): void
}

/**
 * Opens the database, and creates it when it may.
 *
 * @param mayCreate - false for a database that was there before: one that is gone is never continued silently
 * @throws VersionConflict, UpgradeBlocked, DataLoss, StorageUnavailable
 */
export async function openDatabase(source: DatabaseSource, mayCreate: boolean): Promise<OpenDatabase> {
  const { name, notify } = source
  const watched = watchFactory(source.indexedDB)
  const dexie = new Dexie(name, { autoOpen: false, indexedDB: watched.factory, IDBKeyRange: source.IDBKeyRange })
  dexie.version(schemaVersion).stores(stores)
  let created: DatabaseInfo | undefined
  let isGone = false
  dexie.on('populate', (transaction) => {
    isGone = !mayCreate
    // Undoes the creation.
    if (isGone) throw new Error('gone')
    created = { formatVersion, epoch: randomEpoch() }
    transaction.table('info').add(created, infoKey)
  })
  // Keeps Dexie's own handler from warning on the console; the connection has its own.
  dexie.on('versionchange', () => false)
  try {
    await inTime(dexie.open(), source, watched.abandon)
    const native = dexie.backendDB()
    const info = created ?? (await readInfo(native, name))
    const loss = watched.dataLoss()
    if (loss !== undefined) notify('dataLost', `The browser found the database "${name}" corrupt and began a new one: ${loss}`)
    return { native, info, isNew: created !== undefined, close: () => dexie.close() }
  } catch (error) {
    dexie.close()
    if (isGone) throw goneError(name)
    throw openingError(error, name)
  }
}

/** The database that was in use is no longer there. */
export function goneError(name: string): SessionError {
  return new SessionError('DataLoss', `The database "${name}" is gone: it was deleted, evicted or wiped while in use. Tell the user; restore from an export or by sync.`)
}

/** Dexie wraps what the factory throws; our own errors are taken out again. */
function openingError(error: unknown, name: string): unknown {
  const { inner } = error as { inner?: unknown }
  return toStorageError(inner instanceof SessionError ? inner : error, `open the database "${name}"`)
}

async function readInfo(native: IDBDatabase, name: string): Promise<DatabaseInfo> {
  const transaction = native.transaction('info')
  const info = await runRead<Partial<DatabaseInfo> | undefined>(transaction, ({ store, read, answer }) => read(store('info').get(infoKey), answer))
  if (typeof info?.epoch !== 'string' || typeof info.formatVersion !== 'number') {
    throw new SessionError('StorageUnavailable', `The database "${name}" does not say what wrote it. Choose another name for the store, or delete the database.`)
  }
  if (info.formatVersion > formatVersion) {
    const found = `The database "${name}" has format ${info.formatVersion}, this code knows ${formatVersion}.`
    throw new SessionError('VersionConflict', `${found} Update the app (reload the page); nothing was touched.`)
  }
  return { epoch: info.epoch, formatVersion: info.formatVersion }
}

/** Old connections of other tabs hold up an opening, and not every browser says so: only a clock tells. */
async function inTime(opening: PromiseLike<unknown>, { name, blockedAfterMs, notify }: DatabaseSource, abandon: () => void): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      abandon()
      const message = `The database "${name}" did not open within ${blockedAfterMs} ms: another tab holds it open in an older version. Close or reload the other tabs.`
      notify('upgradeBlocked', message)
      reject(new SessionError('UpgradeBlocked', message))
    }, blockedAfterMs)
  })
  try {
    await Promise.race([opening, late])
  } finally {
    clearTimeout(timer)
  }
}

function randomEpoch(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
