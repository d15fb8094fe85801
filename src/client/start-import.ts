import { SessionError } from '../contract/errors.ts'
import type { ImportReport, JobProgress } from '../contract/job.ts'
import type { SessionStore } from '../contract/store.ts'
import type { WorkerLike } from './connect-worker.ts'
import { createJob } from './create-job.ts'
import { jobWorkerLoaders } from './load-job-worker.ts'
import { startJobWorker, type JobWorker } from './job-worker.ts'
import type { Job, StoreMode } from './types.ts'

export interface ImportRun {
  readonly name: string
  readonly mode: StoreMode
  readonly store: SessionStore
  readonly source: Blob
  readonly signal: AbortSignal | undefined
  readonly makeWorker: () => WorkerLike
}

/** How long a worker may take to start, as for the session worker. */
const startMs = 4000

/** Starts an import where it disturbs least. */
export function startImport(run: ImportRun): Job<ImportReport> {
  return createJob((onProgress) => runImport(run, onProgress))
}

async function runImport(run: ImportRun, onProgress: (progress: JobProgress) => void): Promise<ImportReport> {
  const { store, source, signal } = run
  const worker = await findWorker(run)
  if (signal?.aborted) {
    worker?.end()
    throw new SessionError('Aborted', 'The import was cancelled.')
  }
  if (worker !== undefined) return worker.run({ kind: 'importJsonl', blob: source }, signal, onProgress)
  const { importPi } = await import('../formats/import-pi.ts')
  return importPi(store, source.stream(), { totalBytes: source.size, onProgress, ...(signal === undefined ? {} : { signal }) })
}

/** A worker of the same kind as the store's; `undefined` when there is none to be had. */
async function findWorker({ name, mode, signal, makeWorker }: ImportRun): Promise<JobWorker | undefined> {
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
