/** A database as JSON: its version, and each store with its schema and its rows. */
export interface DatabaseDump {
  readonly version: number
  readonly stores: readonly StoreDump[]
}

interface StoreDump {
  readonly name: string
  readonly keyPath: string | string[] | null
  readonly indexes: readonly {
    readonly name: string
    readonly keyPath: string | string[]
    readonly multiEntry: boolean
  }[]
  readonly rows: readonly (readonly [key: IDBValidKey, value: unknown])[]
}

/** What stands for a Blob. */
interface BlobDump {
  readonly $blob: string
  readonly type: string
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** Reads a whole database, behind everybody's back. */
export async function dumpDatabase(factory: IDBFactory, name: string): Promise<DatabaseDump> {
  const database = await settled(factory.open(name))
  const stores: StoreDump[] = []
  for (const storeName of database.objectStoreNames) {
    const store = database.transaction(storeName).objectStore(storeName)
    const indexes = [...store.indexNames]
      .map((index) => store.index(index))
      .map(({ name: index, keyPath, multiEntry }) => ({ name: index, keyPath, multiEntry }))
    const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())])
    const rows: [IDBValidKey, unknown][] = []
    for (const [i, key] of keys.entries()) rows.push([key, await withoutBlobs(values[i])])
    stores.push({ name: storeName, keyPath: store.keyPath, indexes, rows })
  }
  database.close()
  return { version: database.version, stores }
}

/** Makes a database as it was dumped. */
export async function restoreDatabase(
  factory: IDBFactory,
  name: string,
  { version, stores }: DatabaseDump,
): Promise<void> {
  const request = factory.open(name, version)
  request.onupgradeneeded = () => {
    for (const { name: storeName, keyPath, indexes, rows } of stores) {
      const store = request.result.createObjectStore(storeName, keyPath === null ? {} : { keyPath })
      for (const { name: index, keyPath: path, multiEntry } of indexes) store.createIndex(index, path, { multiEntry })
      for (const [key, value] of rows) store.put(withBlobs(value), ...(keyPath === null ? [key] : []))
    }
  }
  ;(await settled(request)).close()
}

/** Only rows of blobs have one, and not deeper. */
async function withoutBlobs(value: unknown): Promise<unknown> {
  const { blob } = (value ?? {}) as { blob?: unknown }
  if (!(blob instanceof Blob)) return value
  return {
    ...(value as object),
    blob: {
      $blob: btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer()))),
      type: blob.type,
    } satisfies BlobDump,
  }
}

function withBlobs(value: unknown): unknown {
  const { blob } = (value ?? {}) as { blob?: Partial<BlobDump> }
  if (blob?.$blob === undefined) return value
  const bytes = Uint8Array.from(atob(blob.$blob), (char) => char.charCodeAt(0))
  return { ...(value as object), blob: new Blob([bytes], { type: blob.type ?? '' }) }
}
