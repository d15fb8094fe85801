import type { NoticeChange } from '../../contract/change.ts'
import { SessionError } from '../../contract/errors.ts'
import { sealedError } from './database-errors.ts'
import { blockedMessage } from './prepare-database.ts'
import { type DatabaseInfo, infoKey, nativeVersion, sealedFormat } from './schema.ts'
import { toStorageError } from './storage-error.ts'
import { runRead } from './transaction.ts'

/** How many times as long as it takes to say that it is held up an opening may be. One that was open before has calls that wait. */
const blockedPatience = 10

/** Where the database is, and what to do when something happens to it. */
export interface DatabaseSource {
  readonly name: string
  readonly indexedDB: IDBFactory
  readonly IDBKeyRange: typeof IDBKeyRange
  readonly blockedAfterMs: number
  /** Whether whoever opens it can read what is encrypted. */
  readonly canUnseal: boolean
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
  const { opening, native: inTime } = openInTime((hear) => opener({ ...source, notify: hear }, mayCreate), source, mayCreate ? blockedPatience : 1)
  try {
    const native = await inTime
    const created = opening.created()
    const info = created ?? (await readInfo(native, source))
    const loss = opening.dataLoss()
    if (loss !== undefined) notify('dataLost', `The browser found the database "${name}" corrupt and began a new one: ${loss}`)
    return { native, info, isNew: created !== undefined, close: opening.close }
  } catch (error) {
    opening.close()
    throw toStorageError(error, `open the database "${name}"`)
  }
}

async function readInfo(native: IDBDatabase, { name, canUnseal }: DatabaseSource): Promise<DatabaseInfo> {
  const transaction = native.transaction('info')
  const info = await runRead<Partial<DatabaseInfo> | undefined>(transaction, ({ store, read, answer }) => read(store('info').get(infoKey), answer))
  if (typeof info?.epoch !== 'string' || typeof info.formatVersion !== 'number') {
    throw new SessionError('StorageUnavailable', `The database "${name}" does not say what wrote it. Choose another name for the store, or delete the database.`)
  }
  const format = info.formatVersion % sealedFormat
  // The opener has opened exactly the version of its own format.
  if (nativeVersion(format) > native.version) {
    const found = `The database "${name}" has format ${format}, which is newer than this code.`
    throw new SessionError('VersionConflict', `${found} Update the app (reload the page); nothing was touched.`)
  }
  if (format !== info.formatVersion && !canUnseal) throw sealedError(name)
  return { epoch: info.epoch, formatVersion: format }
}

/**
 * Waits for an opening. Old connections of other tabs hold it up, and not every browser says so, nor any to a third tab: there only a clock
 * tells. The user has to act then, so that it takes as long as it takes, within reason. An upgrade that has begun goes on to its end.
 */
function openInTime(begin: (notify: DatabaseSource['notify']) => Opening, { name, blockedAfterMs, notify }: DatabaseSource, patience: number): { readonly opening: Opening; readonly native: Promise<IDBDatabase> } {
  let isTold = false
  let stop = (): void => undefined
  const tellBlocked = (message = blockedMessage(name)): void => {
    if (isTold) return
    isTold = true
    notify('upgradeBlocked', message)
  }
  const opening = begin((notice, message) => {
    if (notice === 'upgradeBlocked') return tellBlocked(message)
    if (notice === 'upgrading') stop()
    notify(notice, message)
  })
  const late = new Promise<never>((_, reject) => {
    const telling = setTimeout(tellBlocked, blockedAfterMs)
    const ending = setTimeout(() => {
      tellBlocked()
      opening.abandon()
      reject(new SessionError('UpgradeBlocked', `The database "${name}" did not open within ${blockedAfterMs * patience} ms: another tab holds it open in an older version. Close or reload the other tabs, then try again.`))
    }, blockedAfterMs * patience)
    stop = () => {
      clearTimeout(telling)
      clearTimeout(ending)
    }
  })
  return { opening, native: Promise.race([opening.native, late]).finally(() => stop()) }
}
