import type { Keyring } from '../../contract/encryption.ts'
import { SessionError } from '../../contract/errors.ts'
import type { DatabaseSource } from './database-source.ts'
import { sealedError } from './database-errors.ts'
import { blockedMessage, drawEpoch, readStoredInfo } from './prepare-database.ts'
import { type DatabaseInfo, epochKey, formatOf, infoKey, keyringKey, nativeVersion, sealedFormat } from './schema.ts'
import { toStorageError } from './storage-error.ts'
import { runRead, runWrite } from './transaction.ts'

/** How many times as long as it takes to say that it is held up an opening may be. One that was open before has calls that wait. */
const blockedPatience = 10

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
 * @param epoch - of a database that was open before: one that is gone is never continued silently
 * @throws VersionConflict, UpgradeBlocked, DataLoss, StorageUnavailable
 */
export async function openDatabase(opener: DatabaseOpener, source: DatabaseSource, epoch?: string): Promise<OpenDatabase> {
  const { name, notify } = source
  const mayCreate = epoch === undefined
  const { opening, native: inTime } = openInTime((hear) => opener({ ...source, notify: hear }, mayCreate), source, mayCreate ? blockedPatience : 1)
  try {
    const native = await inTime
    const created = opening.created()
    const info = created ?? (await readInfo(native, source, epoch))
    const loss = opening.dataLoss()
    if (loss !== undefined) notify('dataLost', `The browser found the database "${name}" corrupt and began a new one: ${loss}`)
    return { native, info, isNew: created !== undefined, close: opening.close }
  } catch (error) {
    opening.close()
    throw toStorageError(error, `open the database "${name}"`)
  }
}

async function readInfo(native: IDBDatabase, source: DatabaseSource, epoch: string | undefined): Promise<DatabaseInfo> {
  const found = await runRead<Partial<DatabaseInfo>>(native.transaction('info'), (steps) => readStoredInfo(steps, steps.answer))
  const { formatVersion, epoch: stored } = found.formatVersion === undefined || found.epoch === undefined ? await mendInfo(native, source, epoch) : (found as DatabaseInfo)
  const format = formatVersion % sealedFormat
  // The opener has opened exactly the version of its own format.
  if (nativeVersion(format) > native.version) {
    const newer = `The database "${source.name}" has format ${format}, which is newer than this code.`
    throw new SessionError('VersionConflict', `${newer} Update the app (reload the page); nothing was touched.`)
  }
  if (format !== formatVersion && !source.canUnseal) throw sealedError(source.name)
  return { epoch: stored, formatVersion: format }
}

/**
 * Writes again what the database says about itself: its stores are those of this package, and its version tells the format. Only the epoch is
 * gone where its copy is too. A new one makes it another database, which gets back from the mirror what else may be damaged.
 */
async function mendInfo(native: IDBDatabase, { name, notify }: DatabaseSource, known: string | undefined): Promise<DatabaseInfo> {
  let info: DatabaseInfo | undefined
  await runWrite(native.transaction('info', 'readwrite', { durability: 'strict' }), (steps) =>
    readStoredInfo(steps, ({ epoch = known ?? drawEpoch() }) =>
      steps.read<Keyring | undefined>(steps.store('info').get(keyringKey), (keyring) => {
        const isSealed = keyring !== undefined && (keyring.current !== '' || keyring.isMixed)
        info = { formatVersion: formatOf(native.version) + (isSealed ? sealedFormat : 0), epoch }
        steps.store('info').put(info, infoKey)
        steps.store('info').put(epoch, epochKey)
      }),
    ),
  )
  notify('repaired', `What the database "${name}" says about itself was damaged, and is written again. Its sessions are as they were; \`repairStore()\` looks for other damage.`)
  return info!
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
