import type { BucketNavigator } from '../src/contract/storage-buckets.ts'

/**
 * Has this worker, which serves one store only, find its databases in that store's bucket. @throws what the browser
 * throws where it can't be had
 */
export async function useBucket(bucket: string | undefined): Promise<void> {
  if (bucket !== undefined)
    Object.defineProperty(globalThis, 'indexedDB', {
      value: (await (navigator as BucketNavigator).storageBuckets!.open(bucket)).indexedDB,
    })
}
