import { SessionError } from '../contract/errors.ts'
import type { RememberedSync, SyncMemory } from './sync-memory.ts'

const table = 'memory'
const prefix = 'keepsession-sync:'

/** A memory in an IndexedDB database of its own, that can be thrown away at any time. */
export function openSyncMemory(name: string, namespace: string): SyncMemory {
  const withTable = async <T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    const database = await open(`${prefix}${name}`)
    try {
      return await new Promise((resolve, reject) => {
        const transaction = database.transaction(table, mode)
        const request = act(transaction.objectStore(table))
        transaction.oncomplete = () => resolve(request.result)
        transaction.onabort = () => reject(new SessionError('StorageUnavailable', `What sync knows of the other devices could not be stored: ${String(transaction.error?.message)}. More is fetched at the next start.`))
      })
    } finally {
      database.close()
    }
  }
  return {
    // Unreadable is as good as unknown.
    load: () => withTable<RememberedSync | undefined>('readonly', (store) => store.get(namespace) as IDBRequest<RememberedSync | undefined>).catch(() => undefined),
    save: async (state) => void (await withTable('readwrite', (store) => store.put(state, namespace))),
  }
}

/** Forgets what is known of the other devices. */
export function deleteSyncMemory(name: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.deleteDatabase(`${prefix}${name}`)
    for (const event of ['success', 'error', 'blocked']) request.addEventListener(event, () => resolve())
  })
}

function open(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(table)
    request.onsuccess = () => {
      // Others may delete it whenever they like.
      request.result.onversionchange = () => request.result.close()
      resolve(request.result)
    }
    request.onerror = () => reject(request.error ?? new Error('no reason given'))
  })
}
