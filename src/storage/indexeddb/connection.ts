import type { Durability } from '../../contract/store/write-options.ts'
import type { DatabaseSource } from './database-source.ts'
import { openLiveDatabase } from './live-database.ts'
import type { DatabaseOpener } from './open-database.ts'
import type { StoreName } from './schema.ts'
import { isConnectionLost, isQuotaError, toStorageError } from './storage-error.ts'
import { type ReadSteps, runRead, runWrite, type WriteSteps } from './transaction.ts'
import { createUnfinishedTransactions } from './unfinished-transactions.ts'

/**
 * A connection that outlives the browser's own: a closed database is opened again, and one that changed in the meantime
 * is refused.
 */
export interface Connection {
  readonly epoch: string
  /** Whether the database was created when the connection was made. */
  readonly isNew: boolean
  /** Reads in one transaction. `doing` completes "could not …". */
  readonly read: <T>(stores: readonly StoreName[], doing: string, body: (steps: ReadSteps<T>) => void) => Promise<T>
  /** Writes in one transaction; false when it was refused. */
  readonly write: (
    stores: readonly StoreName[],
    durability: Durability,
    doing: string,
    body: (steps: WriteSteps) => void,
  ) => Promise<boolean>
  /** Resolves when the browser has finished the open transactions. */
  readonly close: () => Promise<void>
}

/** Opens the database and keeps it open. @throws VersionConflict, UpgradeBlocked, StorageUnavailable */
export async function openConnection(opener: DatabaseOpener, source: DatabaseSource): Promise<Connection> {
  const { onLost = () => undefined } = source
  const database = await openLiveDatabase(opener, source)
  const { watch, finish } = createUnfinishedTransactions()
  let wasQuota = false

  async function begin(
    stores: readonly StoreName[],
    mode: IDBTransactionMode,
    options?: IDBTransactionOptions,
  ): Promise<IDBTransaction> {
    const { native } = await database.get()
    try {
      return watch(native.transaction(stores, mode, options))
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      // Nothing was requested yet, so that the call can start over.
      database.drop(native)
      return watch((await database.get()).native.transaction(stores, mode, options))
    }
  }

  /** A call failed. When the connection was lost under it, the next call opens another one. */
  function note(error: unknown, transaction: IDBTransaction | undefined): void {
    if (transaction === undefined || !isConnectionLost(error)) return
    database.drop(transaction.db)
    onLost(String(error), false)
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

  async function write(
    stores: readonly StoreName[],
    durability: Durability,
    doing: string,
    body: (steps: WriteSteps) => void,
  ): Promise<boolean> {
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

  const { epoch } = database.first.info
  return {
    epoch,
    isNew: database.first.isNew,
    read,
    write,
    close: () => {
      database.close()
      return finish()
    },
  }
}
