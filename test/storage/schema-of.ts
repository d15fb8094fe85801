/** What a database is made of: its version, and each store with its key and its indexes. */
export function schemaOf(database: IDBDatabase): unknown {
  const names = [...database.objectStoreNames]
  const transaction = database.transaction(names)
  const indexesOf = (store: IDBObjectStore) =>
    [...store.indexNames]
      .map((index) => store.index(index))
      .map(({ name, keyPath, multiEntry, unique }) => ({ name, keyPath, multiEntry, unique }))
  return [
    database.version,
    names
      .map((name) => transaction.objectStore(name))
      .map((store) => [store.name, store.keyPath, store.autoIncrement, indexesOf(store)]),
  ]
}
