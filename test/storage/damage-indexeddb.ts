/** Opens a database behind the backend's back, in the version it has. */
export function openNative(factory: IDBFactory, name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(name)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Runs `change` on one store of a database, behind the backend's back. */
export async function changeStore<T>(
  factory: IDBFactory,
  name: string,
  store: string,
  change: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await openNative(factory, name)
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(store, 'readwrite')
      const request = change(transaction.objectStore(store))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    database.close()
  }
}

/** Puts something else in the place of a record. */
export async function damageIndexedDb(
  factory: IDBFactory,
  name: string,
  key: readonly [session: number, lane: number, record: string],
  value: unknown = { nonsense: true },
): Promise<void> {
  await changeStore(factory, name, 'entries', (store) => store.put(value, [...key]))
}
