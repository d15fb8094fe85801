import type { BackendUsage } from '../../contract/backend.ts'
import type { KindUsage } from '../../contract/store/store-upkeep.ts'
import { chunkBytes } from '../draft-bytes.ts'
import { isChunk } from './load-drafts.ts'
import { readValues } from './read-keyed-values.ts'
import type { StoreName } from './schema.ts'
import type { ReadSteps } from './transaction.ts'

const counted = ['bodies', 'blobs', 'drafts', 'operations', 'aside'] as const

/** The stores that {@link readOwnUsage} reads. */
export const usageStores: readonly StoreName[] = counted

/** Adds up blobs and drafts, and counts the rest. The sizes of blobs come from an index, so that no blob is loaded. */
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
      steps.answer({
        blobBytes,
        draftBytes: chunks.reduce((sum, { value }) => sum + (isChunk(value) ? chunkBytes(value) : 0), 0),
        kinds,
      })
    })
  })
}

/** How long the browser may take to answer, because a failed write waits for it. */
const patienceMs = 1000

/** The browser's figures for the whole origin, if it gives any in time. */
export async function readOriginUsage(): Promise<Pick<BackendUsage, 'originBytes' | 'quotaBytes'>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const late = new Promise<StorageEstimate>((resolve) => (timer = setTimeout(() => resolve({}), patienceMs)))
    const { usage, quota } = await Promise.race([navigator.storage.estimate(), late])
    return {
      ...(usage === undefined ? {} : { originBytes: usage }),
      ...(quota === undefined ? {} : { quotaBytes: quota }),
    }
  } catch {
    // There is no `navigator.storage` (Node, WebKitGTK), or no permission to ask.
    return {}
  } finally {
    clearTimeout(timer)
  }
}
