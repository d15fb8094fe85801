import { fileURLToPath } from 'node:url'

/**
 * A worker of the package: where its source is, what its published file is called, and how its source text is imported.
 */
export interface WorkerEntry {
  /** The path of its source below the repository, as the end of the URL that client code gives to `new URL`. */
  readonly source: string
  /** Its file in `dist`. */
  readonly file: string
  /** The module that exports its bundled source as a string. */
  readonly virtual: string
}

export const WORKERS: readonly WorkerEntry[] = [
  { source: 'worker/session.worker.ts', file: 'worker.js', virtual: 'virtual:session-worker-source' },
  { source: 'worker/job.worker.ts', file: 'job.worker.js', virtual: 'virtual:job-worker-source' },
  { source: 'worker/search.worker.ts', file: 'search.worker.js', virtual: 'virtual:search-worker-source' },
  { source: 'worker/sync.worker.ts', file: 'sync.worker.js', virtual: 'virtual:sync-worker-source' },
]

/** The absolute path of a worker's source. */
export const workerPath = (worker: WorkerEntry): string =>
  fileURLToPath(new URL(`../${worker.source}`, import.meta.url))
