import { Dexie } from 'dexie'
import { SessionError } from '../../contract/errors.ts'
import { type DatabaseOpener, goneError, newDatabaseInfo } from './open-database.ts'
import { type DatabaseInfo, infoKey, schemaVersion, stores } from './schema.ts'
import { watchFactory } from './watched-factory.ts'

/** Opens a database with Dexie, which owns the schema and its versions. */
export const openWithDexie: DatabaseOpener = ({ name, indexedDB, IDBKeyRange }, mayCreate) => {
  const watched = watchFactory(indexedDB)
  const dexie = new Dexie(name, { autoOpen: false, indexedDB: watched.factory, IDBKeyRange })
  dexie.version(schemaVersion).stores(stores)
  let created: DatabaseInfo | undefined
  let isGone = false
  dexie.on('populate', (transaction) => {
    isGone = !mayCreate
    // Undoes the creation.
    if (isGone) throw new Error('gone')
    created = newDatabaseInfo()
    transaction.table('info').add(created, infoKey)
  })
  // Keeps Dexie's own handler from warning on the console; the connection has its own.
  dexie.on('versionchange', () => false)

  const open = async (): Promise<IDBDatabase> => {
    try {
      await dexie.open()
      return dexie.backendDB()
    } catch (error) {
      if (isGone) throw goneError(name)
      // Dexie wraps what the factory throws; our own errors are taken out again.
      const { inner } = error as { inner?: unknown }
      throw inner instanceof SessionError ? inner : error
    }
  }
  return { native: open(), created: () => created, dataLoss: watched.dataLoss, close: () => dexie.close(), abandon: watched.abandon }
}
