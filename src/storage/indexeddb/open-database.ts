import type { NoticeChange } from '../../contract/change.ts'
import { SessionError } from '../../contract/errors.ts'
import { type DatabaseInfo, formatVersion, infoKey } from './schema.ts'
import { toStorageError } from './storage-error.ts'
import { runRead } from './transaction.ts'

/** Where the database is, and what to do when something happens to it. */
export interface DatabaseSource {
  readonly name: string
  readonly indexedDB: IDBFactory
  readonly IDBKeyRange: typeof IDBKeyRange
  readonly blockedAfterMs: number
  readonly notify: (name: NoticeChange['name'], message: string) => void
  readonly onLost?: LossListener
}

/**
 * Hears that the connection was lost under a call, which may have been done or not.
 *
 * @param isFinal - it did not open again, in several tries
 */
export type LossListener = (reason: string, isFinal: boolean) => void

/** An attempt to open a database. */
export interface Opening {
  readonly native: Promise<IDBDatabase>
  /** The row of `info` that was written when this opening created the database. */
  created(): DatabaseInfo | undefined
  /** What the browser said when it found the database corrupt and made a new one. */
  dataLoss(): string | undefined
  close(): void
  /** Closes whatever still comes open: nobody waits for it, and it would block others. */
  abandon(): void
}

/**
 * Opens a database of exactly the version that this code makes.
 *
 * @param mayCreate - otherwise a database that isn't there fails with {@link goneError}, and still isn't there afterwards
 */
export type DatabaseOpener = (source: DatabaseSource, mayCreate: boolean) => Opening

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
export async function openDatabase(opener: DatabaseOpener, source: DatabaseSource, mayCreate: boolean): Promise<OpenDatabase> {
  const { name, notify } = source
  const opening = opener(source, mayCreate)
  try {
    const native = await inTime(opening.native, source, opening.abandon)
    const created = opening.created()
    const info = created ?? (await readInfo(native, name))
    const loss = opening.dataLoss()
    if (loss !== undefined) notify('dataLost', `The browser found the database "${name}" corrupt and began a new one: ${loss}`)
    return { native, info, isNew: created !== undefined, close: opening.close }
  } catch (error) {
    opening.close()
    throw toStorageError(error, `open the database "${name}"`)
  }
}

/** The database that was in use is no longer there. */
export function goneError(name: string): SessionError {
  return new SessionError('DataLoss', `The database "${name}" is gone: it was deleted, evicted or wiped while in use. Tell the user; restore from an export or by sync.`)
}

export function newerError(name: string): SessionError {
  return new SessionError('VersionConflict', `The database "${name}" was written by newer code. Update the app (reload the page); nothing was touched.`)
}

export function foreignError(name: string): SessionError {
  return new SessionError('StorageUnavailable', `The database "${name}" has other object stores than this package makes. Choose another name for the store; nothing was touched.`)
}

/** What a new database says about itself. */
export function newDatabaseInfo(): DatabaseInfo {
  const epoch = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return { formatVersion, epoch }
}

/** What the browser said of the old database when it had to begin a new one. */
export function lossOf(event: IDBVersionChangeEvent): string | undefined {
  const { dataLoss, dataLossMessage } = event as IDBVersionChangeEvent & { dataLoss?: string; dataLossMessage?: string }
  return dataLoss === undefined || dataLoss === 'none' ? undefined : dataLossMessage || dataLoss
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
async function inTime<T>(opening: Promise<T>, { name, blockedAfterMs, notify }: DatabaseSource, abandon: () => void): Promise<T> {
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
    return await Promise.race([opening, late])
  } finally {
    clearTimeout(timer)
  }
}
