import type { RepairedRows } from '../../contract/row-salvage.ts'
import type { StoreMode } from '../open-options.ts'
import type { Opener, OpeningAttempt } from '../opening/ladder.ts'
import type { WorkerLike } from '../worker/connect-worker.ts'
import { startJobWorker } from '../worker/job-worker.ts'
import { jobWorkerCandidates } from '../worker/job-worker-candidates.ts'

/**
 * Has unreadable rows of a session rebuilt by a job worker, or if none can be started, in the page. This is rare, so
 * its code is not part of the session worker, which every page loads.
 *
 * @param openInPage - opens the store in the page
 * @returns `undefined` if they can't be rebuilt, or were rebuilt and stored in the page, which does not return them
 */
export async function repairDamaged(
  attempt: OpeningAttempt,
  mode: StoreMode,
  makeWorker: () => WorkerLike,
  openInPage: Opener,
  key: string,
): Promise<RepairedRows | undefined> {
  const { name, timeoutMs, mirror, encryption, feed } = attempt
  for (const load of jobWorkerCandidates(attempt, mode, makeWorker)) {
    try {
      const worker = await startJobWorker({
        worker: (await load())(),
        name,
        timeoutMs,
        mirror,
        encryption,
        signal: feed.ending,
      })
      return await worker.run({ kind: 'repairRows', key }, feed.ending, () => undefined)
    } catch {
      // Blocked, missing or broken: the next candidate needs less.
    }
    // The store was closed, so nobody waits for the result.
    if (feed.ending.aborted) return undefined
  }
  const { store } = await openInPage(attempt)
  try {
    // Reading a session rebuilds its unreadable rows.
    await store.verify(key)
  } finally {
    await store.close()
  }
  return undefined
}
