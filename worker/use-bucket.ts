import type { BucketNavigator } from '../src/contract/storage-buckets.ts'

/**
 * Makes this worker, which serves only one store, open its databases in that store's bucket.
 *
 * @throws the browser's error if the bucket can't be opened
 */
export async function useBucket(bucket: string | undefined): Promise<void> {
  if (bucket !== undefined)
    Object.defineProperty(globalThis, 'indexedDB', {
      value: (await (navigator as BucketNavigator).storageBuckets!.open(bucket)).indexedDB,
    })
}
