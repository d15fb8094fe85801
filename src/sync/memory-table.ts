import { SessionError } from '../contract/errors.ts'

const table = 'memory'
const prefix = 'keepsession-sync:'

/**
 * What sync stores on this device alongside the sessions, in an IndexedDB database of its own that can be deleted at
 * any time.
 */
export async function withMemoryTable<T>(
  name: string,
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open(`${prefix}${name}`)
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(table, mode)
      const request = act(transaction.objectStore(table))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () =>
        reject(
          new SessionError(
            'StorageUnavailable',
            `What sync remembers on this device could not be stored: ${String(transaction.error?.message)}. More is fetched at the next start.`,
          ),
        )
    })
  } finally {
    database.close()
  }
}

/** Deletes it. @throws StorageUnavailable */
export function deleteMemoryTable(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void =>
      reject(
        new SessionError(
          'StorageUnavailable',
          `What sync knows of the other devices could not be deleted: ${reason}. Try again.`,
        ),
      )
    try {
      if ((globalThis.indexedDB as unknown) === undefined) return resolve()
      const request = indexedDB.deleteDatabase(`${prefix}${name}`)
      // It is deleted as soon as it is not read any more.
      for (const event of ['success', 'blocked']) request.addEventListener(event, () => resolve())
      request.addEventListener('error', () => fail(request.error?.message ?? 'the browser does not say why'))
    } catch (error) {
      // Some pages have IndexedDB but are not allowed to use it.
      fail((error as Error).message)
    }
  })
}

function open(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(table)
    request.onsuccess = () => {
      // Others may delete it at any time.
      request.result.onversionchange = () => request.result.close()
      resolve(request.result)
    }
    request.onerror = () => reject(request.error ?? new Error('no reason given'))
  })
}
