import type { StoreMode } from '../open-options.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import type { WorkerLike } from './connect-worker.ts'
import { makeFrameWorker, usesFrames } from './frame-worker.ts'
import { jobWorkerLoaders } from './load-job-worker.ts'

/**
 * Ways to a job worker that reaches the database as the store's own does, best first: from a fresh frame where that one
 * comes from one.
 */
export function jobWorkerCandidates(
  attempt: OpeningAttempt,
  mode: StoreMode,
  makeWorker: () => WorkerLike,
): readonly (() => Promise<() => WorkerLike>)[] {
  const loaders = jobWorkerLoaders({ name: attempt.name, mode, attempt }, makeWorker)
  return usesFrames(attempt) ? loaders.map(inFrames) : loaders
}

/** The frame is made beforehand, so that such a loader gives one worker. */
const inFrames = (load: () => Promise<() => WorkerLike>) => async (): Promise<() => WorkerLike> => {
  const worker = await makeFrameWorker(await load())
  return () => worker
}
