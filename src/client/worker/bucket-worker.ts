import type { BucketNavigator, StorageBuckets } from '../../contract/storage-buckets.ts'
import { hash53 } from '../../domain/hash53.ts'
import type { WorkerLike } from './connect-worker.ts'

const bucketed = new WeakSet<object>()

/** From now on, all workers of the store with this opening attempt have their database in a bucket. */
export const useBucket = (attempt: object): void => void bucketed.add(attempt)

/** Name of a store's bucket: a hash, because bucket names must be short and allow few characters. */
export const bucketName = (name: string): string => `keepsession-${hash53(name).toString(36)}`

/** Buckets of this origin; `undefined` if the browser has none. */
export const bucketsHere = (): StorageBuckets | undefined =>
  (globalThis.navigator as BucketNavigator | undefined)?.storageBuckets

/** A function that starts the workers of a store, with the bucket if the store has its database in one. */
export function makeForStore(attempt: object | undefined, name: string, make: () => WorkerLike): () => WorkerLike {
  return attempt !== undefined && bucketed.has(attempt) ? () => inBucket(make(), name) : make
}

/** A worker that opens the database of a store in the store's bucket. */
export function inBucket(worker: WorkerLike, name: string): WorkerLike {
  const bucket = bucketName(name)
  return {
    // Only the first message is sent this way; the others use the port that it carries.
    postMessage: (message: object, transfer: Transferable[]) => worker.postMessage({ ...message, bucket }, transfer),
    addEventListener: worker.addEventListener.bind(worker),
    removeEventListener: worker.removeEventListener.bind(worker),
    terminate: worker.terminate.bind(worker),
  } as WorkerLike
}
