import type { Durability } from '../../contract/store.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { DatabaseSource } from './database-source.ts'
import { type DatabaseOpener, type OpenDatabase, openDatabase } from './open-database.ts'
import { goneError } from './database-errors.ts'
import type { StoreName } from './schema.ts'
import { isConnectionLost, isQuotaError, toStorageError } from './storage-error.ts'
import { type ReadSteps, runRead, runWrite, type WriteSteps } from './transaction.ts'

/** When a database that was open is tried again, counted from the try before. What no longer opens then is left alone for a while. */
const pausesMs = [0, 100, 300]

/** How long it is left alone: calls meanwhile are told at once. */
const restMs = 1000

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
  const { name, notify, onLost = () => undefined } = source
  let current: OpenDatabase | undefined
  let reopening: Promise<OpenDatabase> | undefined
  let refusal: SessionError | undefined
  let wasQuota = false
  let failure: unknown
  let restsUntil = 0
  const unfinished = new Set<Promise<void>>()

  function use(database: OpenDatabase): OpenDatabase {
    current = database
    database.native.addEventListener('close', () => drop(database))
    database.native.addEventListener('versionchange', ({ newVersion }) => {
      drop(database)
      // To be deleted is found out by the next call: whoever wants it may yet fail.
      if (newVersion === null) return
      refuse('upgradeRequired', new SessionError('VersionConflict', `Newer code upgrades the database "${name}". Update the app (reload the page).`))
    })
    return database
  }

  function drop(database: OpenDatabase): void {
    database.close()
    if (current === database) current = undefined
  }

  function refuse(notice: 'upgradeRequired' | 'dataLost', error: SessionError): SessionError {
    if (refusal === undefined) notify(notice, error.message)
    refusal ??= error
    return refusal
  }

  /** An open connection can't change its format or its epoch; a new one may have. */
  async function reopen(epoch: string): Promise<OpenDatabase> {
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

  /** A few times: what is lost for a moment comes back so, and what is lost for good must not keep everybody waiting. */
  async function reopenInTime(epoch: string): Promise<OpenDatabase> {
    if (performance.now() < restsUntil) throw failure
    for (const pauseMs of pausesMs) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      try {
        return await reopen(epoch)
      } catch (error) {
        if (refusal !== undefined || !isSessionError(error, 'StorageUnavailable')) throw error
        failure = error
      }
    }
    restsUntil = performance.now() + restMs
    onLost((failure as Error).message, true)
    throw failure
  }

  const first = use(await openDatabase(opener, source))

  async function database(): Promise<OpenDatabase> {
    if (refusal !== undefined) throw refusal
    if (current !== undefined) return current
    reopening ??= reopenInTime(first.info.epoch).finally(() => {
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
      drop(opened)
      return watch((await database()).native.transaction(stores, mode, options))
    }
  }

  /** A call failed on a connection: where that is what failed, the next call opens another one. */
  function note(error: unknown, transaction: IDBTransaction | undefined): void {
    if (transaction === undefined || !isConnectionLost(error)) return
    if (current?.native === transaction.db) drop(current)
    onLost(String(error), false)
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
    let transaction: IDBTransaction | undefined
    try {
      transaction = await begin(stores, 'readonly')
      return await runRead(transaction, body)
    } catch (error) {
      note(error, transaction)
      throw toStorageError(error, doing)
    }
  }

  async function write(stores: readonly StoreName[], durability: Durability, doing: string, body: (steps: WriteSteps) => void): Promise<boolean> {
    let transaction: IDBTransaction | undefined
    try {
      transaction = await begin(stores, 'readwrite', { durability })
      const isStored = await runWrite(transaction, body)
      wasQuota = false
      return isStored
    } catch (cause) {
      const error = toStorageError(cause, doing, wasQuota, transaction !== undefined)
      wasQuota = isQuotaError(error)
      if (!wasQuota) note(cause, transaction)
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
