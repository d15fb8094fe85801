/** A place of its own for databases, beside that of the origin (Chromium 122). Types of the web don't know it yet. */
export interface StorageBuckets {
  open(name: string): Promise<{ readonly indexedDB: IDBFactory }>
  delete(name: string): Promise<void>
  keys(): Promise<readonly string[]>
}

/** Where there may be some: not in other browsers, nor on plain HTTP. */
export interface BucketNavigator {
  readonly storageBuckets?: StorageBuckets
}
