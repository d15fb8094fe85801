import type { Keyring } from '../../contract/encryption.ts'
import { SessionError } from '../../contract/errors.ts'
import { sealedError } from './database-errors.ts'
import type { DatabaseSource } from './database-source.ts'
import { blockedMessage, drawEpoch, readStoredInfo } from './prepare-database.ts'
import { type DatabaseInfo, epochKey, formatOf, infoKey, keyringKey, nativeVersion, sealedFormat } from './schema.ts'
import { toStorageError } from './storage-error.ts'
import { runRead, runWrite } from './transaction.ts'

/**
 * An opening fails after this many times the wait after which it reports that it is blocked. For a database that was
 * open before the factor is 1, because calls wait for it.
 */
const blockedPatience = 10

/** An attempt to open a database. */
interface Opening {
  readonly native: Promise<IDBDatabase>
  /** The row of `info` that was written when this opening created the database. */
  created(): DatabaseInfo | undefined
  /** The browser's message when it found the database corrupt and created a new one. */
  dataLoss(): string | undefined
  close(): void
  /** Closes the database if it still opens: its caller does not wait for it any more, and it would block others. */
  abandon(): void
}

/**
 * Opens a database of exactly the version that this code creates.
 *
 * @param mayCreate - whether it may create the database. Otherwise a missing database fails with {@link goneError}, and
 * is not created
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
 * Opens the database, and creates it if allowed.
 *
 * @param epoch - epoch of a database that was open before. A lost database is never silently replaced by a new one
 * @throws VersionConflict, UpgradeBlocked, DataLoss, StorageUnavailable
 */
export async function openDatabase(
  opener: DatabaseOpener,
  source: DatabaseSource,
  epoch?: string,
): Promise<OpenDatabase> {
  const { name, notify } = source
  const mayCreate = epoch === undefined
  const { opening, native: inTime } = openInTime(
    (notifyOpening) => opener({ ...source, notify: notifyOpening }, mayCreate),
    source,
    mayCreate ? blockedPatience : 1,
  )
  try {
    const native = await inTime
    const created = opening.created()
    const info = created ?? (await readInfo(native, source, epoch))
    const loss = opening.dataLoss()
    if (loss !== undefined)
      notify('dataLost', `The browser found the database "${name}" corrupt and created a new one: ${loss}`)
    return { native, info, isNew: created !== undefined, close: opening.close }
  } catch (error) {
    opening.close()
    throw toStorageError(error, `open the database "${name}"`)
  }
}

async function readInfo(native: IDBDatabase, source: DatabaseSource, epoch: string | undefined): Promise<DatabaseInfo> {
  const found = await runRead<Partial<DatabaseInfo>>(native.transaction('info'), (steps) =>
    readStoredInfo(steps, steps.answer),
  )
  const { formatVersion, epoch: stored } =
    found.formatVersion === undefined || found.epoch === undefined
      ? await repairInfo(native, source, epoch)
      : (found as DatabaseInfo)
  const format = formatVersion % sealedFormat
  // The opener opens exactly the version of its own format.
  if (nativeVersion(format) > native.version) {
    const newer = `The database "${source.name}" has format ${format}, which is newer than this code.`
    throw new SessionError('VersionConflict', `${newer} Update the app (reload the page); nothing was touched.`)
  }
  if (format !== formatVersion && !source.canUnseal) throw sealedError(source.name)
  return { epoch: stored, formatVersion: format }
}

/**
 * Rewrites the damaged info row: the stores are those of this package, and the version gives the format. The epoch is
 * lost only if its copy is damaged too. A new epoch makes it another database, which gets back from the mirror what
 * else may be damaged.
 */
async function repairInfo(
  native: IDBDatabase,
  { name, notify }: DatabaseSource,
  known: string | undefined,
): Promise<DatabaseInfo> {
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
  notify(
    'repaired',
    `The info row of the database "${name}" was damaged and has been rewritten. Its sessions did not change; \`upkeep.repair()\` looks for other damage.`,
  )
  return info!
}

/**
 * Waits for an opening. Old connections of other tabs can block it. Not every browser reports that, and none reports it
 * to a third tab, so that a timer is needed. The user must act then, and may take long, within reason. An upgrade that
 * has started runs to its end.
 */
function openInTime(
  begin: (notify: DatabaseSource['notify']) => Opening,
  { name, blockedAfterMs, notify }: DatabaseSource,
  patience: number,
): { readonly opening: Opening; readonly native: Promise<IDBDatabase> } {
  let isAnnounced = false
  let stop = (): void => undefined
  const announceBlocked = (message = blockedMessage(name)): void => {
    if (isAnnounced) return
    isAnnounced = true
    notify('upgradeBlocked', message)
  }
  const opening = begin((notice, message) => {
    if (notice === 'upgradeBlocked') return announceBlocked(message)
    if (notice === 'upgrading') stop()
    notify(notice, message)
  })
  const late = new Promise<never>((_, reject) => {
    const announcing = setTimeout(announceBlocked, blockedAfterMs)
    const ending = setTimeout(() => {
      announceBlocked()
      opening.abandon()
      reject(
        new SessionError(
          'UpgradeBlocked',
          `The database "${name}" did not open within ${blockedAfterMs * patience} ms: another tab holds it open in an older version. Close or reload the other tabs, then try again.`,
        ),
      )
    }, blockedAfterMs * patience)
    stop = () => {
      clearTimeout(announcing)
      clearTimeout(ending)
    }
  })
  return { opening, native: Promise.race([opening.native, late]).finally(() => stop()) }
}
