import { SessionError } from '../contract/errors.ts'
import { subtleHere } from '../sealing/subtle-here.ts'

const storeName = 'keys'

/** The key of this device with this name, or a new one. No code can read its bytes. @throws StorageUnavailable */
export async function openDeviceKey(name: string, indexedDB = globalThis.indexedDB): Promise<CryptoKey> {
  // It is made before the transaction, in which nothing else may be awaited.
  const drawn = await subtleHere().generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  try {
    const database = await answer(opening(indexedDB, `keepsession-key:${name}`))
    try {
      return await keyIn(database, drawn)
    } finally {
      database.close()
    }
  } catch (cause) {
    throw new SessionError(
      'StorageUnavailable',
      `Could not open the key "${name}" of this device: ${(cause as Error | null)?.message ?? 'the browser does not say why'}. Try again; nothing was changed.`,
      { cause },
    )
  }
}

function opening(indexedDB: IDBFactory, name: string): IDBOpenDBRequest {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => void request.result.createObjectStore(storeName)
  return request
}

/** When two tabs ask at once, both get the key of the first. */
function keyIn(database: IDBDatabase, drawn: CryptoKey): Promise<CryptoKey> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(storeName, 'readwrite', { durability: 'strict' })
    const store = transaction.objectStore(storeName)
    const request = store.get('key') as IDBRequest<CryptoKey | undefined>
    let key = drawn
    request.onsuccess = () => {
      if (request.result === undefined) store.put(drawn, 'key')
      else key = request.result
    }
    // A key that was not stored would lock a store for good.
    transaction.oncomplete = () => resolve(key)
    transaction.onabort = () => reject(transaction.error ?? new Error('it was not stored'))
  })
}

const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = (event) => {
      event.preventDefault()
      reject(request.error ?? new Error('it does not open'))
    }
  })
