import type { BucketNavigator, StorageBuckets } from '../../contract/storage-buckets.ts'
import { hash53 } from '../../domain/hash53.ts'
import type { WorkerLike } from './connect-worker.ts'

const bucketed = new WeakSet<object>()

/** From now on all workers of a store, told by its opening, have its database in a bucket. */
export const useBucket = (attempt: object): void => void bucketed.add(attempt)

/** The bucket of a store: its name may only have some letters, and not many. */
export const bucketName = (name: string): string => `keepsession-${hash53(name).toString(36)}`

/** Buckets of this origin; `undefined` where there are none. */
export const bucketsHere = (): StorageBuckets | undefined =>
  (globalThis.navigator as BucketNavigator | undefined)?.storageBuckets

/** What makes the workers of a store, wherever that has its database. */
export function makeForStore(attempt: object | undefined, name: string, make: () => WorkerLike): () => WorkerLike {
  return attempt !== undefined && bucketed.has(attempt) ? () => inBucket(make(), name) : make
}

/** A worker that looks for the database of a store in the store's bucket. */
export function inBucket(worker: WorkerLike, name: string): WorkerLike {
  const bucket = bucketName(name)
  return {
    // Only the first message goes this way: the others go over the port that it carries.
    postMessage: (message: object, transfer: Transferable[]) => worker.postMessage({ ...message, bucket }, transfer),
    addEventListener: worker.addEventListener.bind(worker),
    removeEventListener: worker.removeEventListener.bind(worker),
    terminate: worker.terminate.bind(worker),
  } as WorkerLike
}
