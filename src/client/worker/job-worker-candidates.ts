import type { StoreMode } from '../open-options.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import type { WorkerLike } from './connect-worker.ts'
import { makeFrameWorker, usesFrames } from './frame-worker.ts'
import { jobWorkerLoaders } from './load-job-worker.ts'

/**
 * Loaders of job workers that reach the database as the store's own worker does, best first: from a new frame, if the
 * store's worker comes from one.
 */
export function jobWorkerCandidates(
  attempt: OpeningAttempt,
  mode: StoreMode,
  makeWorker: () => WorkerLike,
): readonly (() => Promise<() => WorkerLike>)[] {
  const loaders = jobWorkerLoaders({ name: attempt.name, mode, attempt }, makeWorker)
  return usesFrames(attempt) ? loaders.map(inFrames) : loaders
}

/** The frame is created beforehand, so such a loader returns only one worker. */
const inFrames = (load: () => Promise<() => WorkerLike>) => async (): Promise<() => WorkerLike> => {
  const worker = await makeFrameWorker(await load())
  return () => worker
}
