import { type DatabaseOpener, foreignError, goneError, lossOf, newDatabaseInfo, newerError } from './open-database.ts'
import { type DatabaseInfo, infoKey, nativeVersion, type StoreName, stores } from './schema.ts'

/**
 * Opens a database without Dexie, for the session worker: there Dexie would be half of the code, to be loaded before the first
 * message shows, and nothing runs on it but the opening. A new database gets the very stores that Dexie would make.
 */
export const openNatively: DatabaseOpener = ({ name, indexedDB }, mayCreate) => {
  let created: DatabaseInfo | undefined
  let loss: string | undefined
  let refusal: Error | undefined
  let isAbandoned = false
  let native: IDBDatabase | undefined

  const opened = new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(name, nativeVersion)
    request.onupgradeneeded = (event) => {
      loss = lossOf(event)
      const transaction = request.transaction as IDBTransaction
      if (event.oldVersion !== 0) refusal = foreignError(name)
      else if (!mayCreate) refusal = goneError(name)
      // Undoes the creation.
      if (refusal !== undefined) return transaction.abort()
      createStores(request.result)
      created = newDatabaseInfo()
      transaction.objectStore('info').add(created, infoKey)
    }
    request.onsuccess = () => {
      native = request.result
      if (!hasStores(native)) reject(foreignError(name))
      else resolve(native)
      if (isAbandoned) native.close()
    }
    request.onerror = (event) => {
      // Firefox would report it to the page a second time.
      event.preventDefault()
      reject(refusal ?? (request.error?.name === 'VersionError' ? newerError(name) : request.error))
    }
  })
  return {
    native: opened,
    created: () => created,
    dataLoss: () => loss,
    close: () => native?.close(),
    abandon: () => {
      isAbandoned = true
    },
  }
}

/** Makes what Dexie's notation says: the key, then the indexes, `*` before one over the members of a list. */
function createStores(database: IDBDatabase): void {
  for (const [name, notation] of Object.entries(stores)) {
    const [key, ...indexes] = notation.split(',')
    const store = database.createObjectStore(name, key === '' ? {} : { keyPath: key as string })
    for (const index of indexes) {
      const path = index.replace('*', '')
      store.createIndex(path, path, { multiEntry: path !== index })
    }
  }
}

function hasStores({ objectStoreNames }: IDBDatabase): boolean {
  return (Object.keys(stores) as StoreName[]).every((name) => objectStoreNames.contains(name))
}
