import { SessionError } from '../contract/errors.ts'
import type { ImportReport, JobProgress, JobTask } from '../contract/job.ts'
import type { SessionStore } from '../contract/store.ts'
import type { WorkerLike } from './connect-worker.ts'
import { jobWorkerLoaders } from './load-job-worker.ts'
import { startJobWorker, type JobWorker } from './job-worker.ts'
import type { StoreMode } from './types.ts'

/** Where an import goes. */
export interface ImportPlace {
  /** Of the database. */
  readonly name: string
  readonly mode: StoreMode
  readonly store: SessionStore
  /** Made by what a page loads at once, because bundlers look for workers there. */
  readonly makeWorker: () => WorkerLike
}

/** How long a worker may take to start, as for the session worker. */
const startMs = 4000

/** Runs an import where it disturbs least. */
export async function runImport(place: ImportPlace, task: JobTask, signal: AbortSignal | undefined, onProgress: (progress: JobProgress) => void): Promise<ImportReport> {
  const worker = await findWorker(place, signal)
  if (signal?.aborted) {
    worker?.end()
    throw new SessionError('Aborted', 'The import was cancelled.')
  }
  if (worker !== undefined) return worker.run(task, signal, onProgress)
  const options = { onProgress, ...(signal === undefined ? {} : { signal }) }
  if (task.kind === 'importPicoClaw') {
    const { importPicoClaw } = await import('../formats/import-picoclaw.ts')
    return importPicoClaw(place.store, task.files, options)
  }
  const { importPi } = await import('../formats/import-pi.ts')
  return importPi(place.store, task.blob.stream(), { ...options, totalBytes: task.blob.size })
}

/** A worker of the same kind as the store's; `undefined` when there is none to be had. */
async function findWorker({ name, mode, makeWorker }: ImportPlace, signal: AbortSignal | undefined): Promise<JobWorker | undefined> {
  for (const load of jobWorkerLoaders(mode, makeWorker)) {
    if (signal?.aborted) return undefined
    try {
      return await startJobWorker({ worker: (await load())(), name, timeoutMs: startMs, signal })
    } catch {
      // Blocked, missing or broken: the next way needs less.
    }
  }
  return undefined
}
