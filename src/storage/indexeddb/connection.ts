import type { Durability } from '../../contract/store.ts'
import { SessionError } from '../../contract/errors.ts'
import { type DatabaseOpener, type DatabaseSource, goneError, type OpenDatabase, openDatabase } from './open-database.ts'
import type { StoreName } from './schema.ts'
import { isConnectionLost, isQuotaError, toStorageError } from './storage-error.ts'
import { type ReadSteps, runRead, runWrite, type WriteSteps } from './transaction.ts'

/** A connection that outlives the browser's own: what is closed under us is opened again, what changed meanwhile is refused. */
export interface Connection {
  readonly epoch: string
  /** Whether the database was created when the connection was made. */
  readonly isNew: boolean
  /** Reads in one transaction. `doing` completes "could not …". */
  readonly read: <T>(stores: readonly StoreName[], doing: string, body: (steps: ReadSteps<T>) => void) => Promise<T>
  /** Writes in one transaction; false when it was refused. */
  readonly write: (stores: readonly StoreName[], durability: Durability, doing: string, body: (steps: WriteSteps) => void) => Promise<boolean>
  /** Resolves when the browser has finished what was begun. */
  readonly close: () => Promise<void>
}

/** How long the browser may take to finish what it has answered, in milliseconds. */
const finishingMs = 1000

/** Opens the database and keeps it open. @throws VersionConflict, UpgradeBlocked, StorageUnavailable */
export async function openConnection(opener: DatabaseOpener, source: DatabaseSource): Promise<Connection> {
  const { name, notify } = source
  let current: OpenDatabase | undefined
  let reopening: Promise<OpenDatabase> | undefined
  let refusal: SessionError | undefined
  let wasQuota = false
  const unfinished = new Set<Promise<void>>()

  function use(database: OpenDatabase): OpenDatabase {
    current = database
    const drop = (): void => {
      database.close()
      if (current === database) current = undefined
    }
    database.native.addEventListener('close', drop)
    database.native.addEventListener('versionchange', ({ newVersion }) => {
      drop()
      // To be deleted is found out by the next call: whoever wants it may yet fail.
      if (newVersion === null) return
      refuse('upgradeRequired', new SessionError('VersionConflict', `Newer code upgrades the database "${name}". Update the app (reload the page).`))
    })
    return database
  }

  function refuse(notice: 'upgradeRequired' | 'dataLost', error: SessionError): SessionError {
    if (refusal === undefined) notify(notice, error.message)
    refusal ??= error
    return refusal
  }

  /** An open connection can't change its format or its epoch; a new one may have. */
  async function reopen(epoch: string): Promise<OpenDatabase> {
    try {
      const database = await openDatabase(opener, source, false)
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

  const first = use(await openDatabase(opener, source, true))

  async function database(): Promise<OpenDatabase> {
    if (refusal !== undefined) throw refusal
    if (current !== undefined) return current
    reopening ??= reopen(first.info.epoch).finally(() => {
      reopening = undefined
    })
    return reopening
  }

  async function begin(stores: readonly StoreName[], mode: IDBTransactionMode, options?: IDBTransactionOptions): Promise<IDBTransaction> {
    const opened = await database()
    try {
      return watch(opened.native.transaction(stores, mode, options))
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      // Nothing was asked of it yet, so that the call can begin again.
      opened.close()
      if (current === opened) current = undefined
      return watch((await database()).native.transaction(stores, mode, options))
    }
  }

  function watch(transaction: IDBTransaction): IDBTransaction {
    const finished = new Promise<void>((resolve) => {
      for (const event of ['complete', 'abort']) transaction.addEventListener(event, () => resolve())
    })
    unfinished.add(finished)
    void finished.then(() => unfinished.delete(finished))
    return transaction
  }

  /**
   * A read is answered before its transaction is over. A worker of WebKit that is ended then leaves its connection open until the page
   * is left, and nobody can upgrade or delete the database.
   */
  async function finish(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    await Promise.race([Promise.all(unfinished), new Promise((resolve) => (timer = setTimeout(resolve, finishingMs)))])
    clearTimeout(timer)
  }

  async function read<T>(stores: readonly StoreName[], doing: string, body: (steps: ReadSteps<T>) => void): Promise<T> {
    try {
      return await runRead(await begin(stores, 'readonly'), body)
    } catch (error) {
      throw toStorageError(error, doing)
    }
  }

  async function write(stores: readonly StoreName[], durability: Durability, doing: string, body: (steps: WriteSteps) => void): Promise<boolean> {
    try {
      const isStored = await runWrite(await begin(stores, 'readwrite', { durability }), body)
      wasQuota = false
      return isStored
    } catch (cause) {
      const error = toStorageError(cause, doing, wasQuota)
      wasQuota = isQuotaError(error)
      throw error
    }
  }

  return {
    epoch: first.info.epoch,
    isNew: first.isNew,
    read,
    write,
    close: () => {
      refusal ??= new SessionError('StorageClosed', `The database "${name}" was closed before this call. Open it again.`)
      current?.close()
      current = undefined
      return finish()
    },
  }
}
