import { isSessionError, SessionError } from '../../contract/errors.ts'
import { goneError } from './database-errors.ts'
import type { DatabaseSource } from './database-source.ts'
import { type DatabaseOpener, type OpenDatabase, openDatabase } from './open-database.ts'
import { retryOpening } from './retry-opening.ts'

/** A database that is opened again after the browser closed it. */
export interface LiveDatabase {
  /** The connection of the first opening. Its epoch is the one that later openings must find. */
  readonly first: OpenDatabase
  /** The open connection, or a new one. @throws VersionConflict, DataLoss, StorageUnavailable, StorageClosed */
  get(): Promise<OpenDatabase>
  /** Closes a connection that was lost, unless another one replaced it. The next call opens a new one. */
  drop(native: IDBDatabase): void
  close(): void
}

/** Opens the database. @throws VersionConflict, UpgradeBlocked, StorageUnavailable */
export async function openLiveDatabase(opener: DatabaseOpener, source: DatabaseSource): Promise<LiveDatabase> {
  const { name, notify, onLost = () => undefined } = source
  let current: OpenDatabase | undefined
  let reopening: Promise<OpenDatabase> | undefined
  /** Why this database must never be opened again. */
  let refusal: SessionError | undefined

  function use(database: OpenDatabase): OpenDatabase {
    current = database
    database.native.addEventListener('close', () => release(database))
    database.native.addEventListener('versionchange', ({ newVersion }) => {
      release(database)
      // The new version is `null` for a deletion. It may still fail, so that only the next call finds out.
      if (newVersion === null) return
      refuse(
        'upgradeRequired',
        new SessionError(
          'VersionConflict',
          `Newer code upgrades the database "${name}". Update the app (reload the page).`,
        ),
      )
    })
    return database
  }

  function release(database: OpenDatabase): void {
    database.close()
    if (current === database) current = undefined
  }

  function refuse(notice: 'upgradeRequired' | 'dataLost', error: SessionError): SessionError {
    if (refusal === undefined) notify(notice, error.message)
    refusal ??= error
    return refusal
  }

  /** The format and the epoch can't change while a connection is open, but they can between two connections. */
  async function reopen(): Promise<OpenDatabase> {
    const { epoch } = first.info
    try {
      const database = await openDatabase(opener, source, epoch)
      if (database.info.epoch !== epoch) {
        database.close()
        throw goneError(name)
      }
      if (refusal !== undefined) {
        database.close()
        throw refusal
      }
      return use(database)
    } catch (error) {
      if (!(error instanceof SessionError)) throw error
      if (error.name === 'DataLoss') throw refuse('dataLost', error)
      if (error.name === 'VersionConflict') throw refuse('upgradeRequired', error)
      throw error
    }
  }

  const reopenInTime = retryOpening(reopen, {
    mayPass: (error) => refusal === undefined && isSessionError(error, 'StorageUnavailable'),
    onGiveUp: ({ message }) => onLost(message, true),
  })

  const first = use(await openDatabase(opener, source))

  return {
    first,
    get: async () => {
      if (refusal !== undefined) throw refusal
      if (current !== undefined) return current
      reopening ??= reopenInTime().finally(() => {
        reopening = undefined
      })
      return reopening
    },
    drop: (native) => {
      if (current?.native === native) release(current)
    },
    close: () => {
      refusal ??= new SessionError(
        'StorageClosed',
        `The database "${name}" was closed before this call. Open it again.`,
      )
      current?.close()
      current = undefined
    },
  }
}
