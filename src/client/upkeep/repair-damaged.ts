import type { RepairedRows } from '../../contract/row-salvage.ts'
import type { StoreMode } from '../open-options.ts'
import type { Opener, OpeningAttempt } from '../opening/ladder.ts'
import type { WorkerLike } from '../worker/connect-worker.ts'
import { startJobWorker } from '../worker/job-worker.ts'
import { jobWorkerCandidates } from '../worker/job-worker-candidates.ts'

/**
 * Has the rows of a session made again that its worker can't read: by a job worker; where that can't be had, in the
 * page. It is rare, and its code a part of the session worker that every page would load.
 *
 * @param openInPage - opens the store in the page
 * @returns `undefined` when they can't be made again, or are stored without anybody having seen them here
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
      // Blocked, missing or broken: the next way needs less.
    }
    // Nobody waits for it any more.
    if (feed.ending.aborted) return undefined
  }
  const { store } = await openInPage(attempt)
  try {
    // Whoever asks for a session has it mended.
    await store.verify(key)
  } finally {
    await store.close()
  }
  return undefined
}
