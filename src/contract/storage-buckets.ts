/**
 * A storage bucket: a place for databases separate from the origin's default one (Chromium 122). The DOM types don't
 * have it yet.
 */
export interface StorageBuckets {
  open(name: string): Promise<{ readonly indexedDB: IDBFactory }>
  delete(name: string): Promise<void>
  keys(): Promise<readonly string[]>
}

/** A navigator that may have buckets: other browsers have none, and no browser on plain HTTP has. */
export interface BucketNavigator {
  readonly storageBuckets?: StorageBuckets
}
