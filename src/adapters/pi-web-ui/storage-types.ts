/** An index of a store, as pi-web-ui declares it. */
export interface PiIndexConfig {
  readonly name: string
  /** The property that values are ordered by, with dots for one inside of another; several are compared in turn. */
  readonly keyPath: string | string[]
}

/** A store, as `getConfig()` of pi-web-ui's stores declares it. */
export interface PiStoreConfig {
  readonly name: string
  readonly indices?: readonly PiIndexConfig[]
}

/** The `StorageTransaction` of pi-web-ui. */
export interface PiStorageTransaction {
  /** What the transaction wrote, otherwise what is stored; `null` when there is nothing. */
  get<T = unknown>(storeName: string, key: string): Promise<T | null>
  set<T = unknown>(storeName: string, key: string, value: T): Promise<void>
  delete(storeName: string, key: string): Promise<void>
}

/** The `StorageBackend` of pi-web-ui. */
export interface PiStorageBackend extends PiStorageTransaction {
  /** `null` when there is nothing. */
  get<T = unknown>(storeName: string, key: string): Promise<T | null>
  /** All keys of a store, or those that begin with `prefix`, in their order. */
  keys(storeName: string, prefix?: string): Promise<string[]>
  /**
   * All values of a store that have the property of the index, ordered by it, then by their keys. Values that can't be
   * read are left out; `client.upkeep.verify()` names them.
   */
  getAllFromIndex<T = unknown>(storeName: string, indexName: string, direction?: 'asc' | 'desc'): Promise<T[]>
  clear(storeName: string): Promise<void>
  has(storeName: string, key: string): Promise<boolean>
  /**
   * Stores what `operation` writes in one commit once it has resolved, and nothing if it rejects. Another tab may write
   * between what it reads and that commit.
   */
  transaction<T>(
    storeNames: string[],
    mode: 'readonly' | 'readwrite',
    operation: (tx: PiStorageTransaction) => Promise<T>,
  ): Promise<T>
  /** What the browser says about this origin, in bytes; 0 where it says nothing. */
  getQuotaInfo(): Promise<{ usage: number; quota: number; percent: number }>
  /** Asks the browser not to evict the data. Whether it agreed. */
  requestPersistence(): Promise<boolean>
}
