import type { BackendUsage } from '../../contract/backend.ts'
import { chunkBytes } from '../draft-bytes.ts'
import type { KindUsage } from '../../contract/store.ts'
import { isChunk } from './load-drafts.ts'
import { readValues } from './read-values.ts'
import type { StoreName } from './schema.ts'
import type { ReadSteps } from './transaction.ts'

const counted = ['bodies', 'blobs', 'drafts', 'operations', 'aside'] as const

/** The stores that {@link readOwnUsage} looks at. */
export const usageStores: readonly StoreName[] = counted

/** Sums up blobs and drafts, and counts the rest. Sizes of blobs come from an index, so that no blob is loaded. */
export function readOwnUsage(steps: ReadSteps<BackendUsage>): void {
  let blobBytes = 0
  const kinds: Partial<Record<(typeof counted)[number], KindUsage>> = {}
  for (const name of counted) {
    steps.read(steps.store(name).count(), (count) => {
      kinds[name] = { count }
    })
  }
  steps.read(steps.store('blobs').index('size').openKeyCursor(), (cursor) => {
    if (cursor !== null) {
      blobBytes += Number(cursor.key)
      cursor.continue()
      return
    }
    readValues(steps, 'drafts', undefined, (chunks) => {
      steps.answer({ blobBytes, draftBytes: chunks.reduce((sum, { value }) => sum + (isChunk(value) ? chunkBytes(value) : 0), 0), kinds })
    })
  })
}

/** What the browser says of the whole origin, where it says anything. */
export async function readOriginUsage(): Promise<Pick<BackendUsage, 'originBytes' | 'quotaBytes'>> {
  try {
    const { usage, quota } = await navigator.storage.estimate()
    return { ...(usage === undefined ? {} : { originBytes: usage }), ...(quota === undefined ? {} : { quotaBytes: quota }) }
  } catch {
    // No `navigator.storage` (Node, WebKitGTK), or not allowed to ask.
    return {}
  }
}
