import { fileURLToPath } from 'node:url'

/**
 * A worker of the package: where its source is, what its published files are called, and how the address of its script
 * is imported.
 */
export interface WorkerEntry {
  /** The path of its source below the repository, as the end of the URL that client code gives to `new URL`. */
  readonly source: string
  /** What its script in `dist` is called, before the hash of its content. */
  readonly name: string
  /** The file in `dist` that stands for the subpath of the package, such as `keepsession/worker`: it loads the script. */
  readonly subpathFile: string
  /** The module that exports the address of its bundled script. */
  readonly virtual: string
}

export const WORKERS: readonly WorkerEntry[] = [
  {
    source: 'worker/session.worker.ts',
    name: 'session.worker',
    subpathFile: 'worker.js',
    virtual: 'virtual:session-worker-url',
  },
  {
    source: 'worker/job.worker.ts',
    name: 'job.worker',
    subpathFile: 'job.worker.js',
    virtual: 'virtual:job-worker-url',
  },
  {
    source: 'worker/search.worker.ts',
    name: 'search.worker',
    subpathFile: 'search.worker.js',
    virtual: 'virtual:search-worker-url',
  },
  {
    source: 'worker/sync.worker.ts',
    name: 'sync.worker',
    subpathFile: 'sync.worker.js',
    virtual: 'virtual:sync-worker-url',
  },
]

/** The absolute path of a worker's source. */
export const workerPath = (worker: WorkerEntry): string =>
  fileURLToPath(new URL(`../${worker.source}`, import.meta.url))
