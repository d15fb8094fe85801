import type { ImportReport } from '../contract/job.ts'
import type { SessionStore } from '../contract/store.ts'
import { makeJobWorker } from './make-job-worker.ts'
import type { ImportOptions, Job, StoreMode } from './types.ts'

/**
 * Imports a session log into the sessions of a client: in a worker of its own where the client's store lives in one, otherwise (and when
 * that worker can't be had) in the page, in small steps. What does the work is loaded when it is asked for.
 *
 * @param name - of the database
 * @param store - the client's
 * @returns iterating it gives progress, the newest only; `result` rejects with InvalidInput (no session log, or it can't be read),
 * VersionConflict, Aborted or WorkerLost
 */
export function importJsonl(name: string, mode: StoreMode, store: SessionStore, source: Blob, options: ImportOptions = {}): Job<ImportReport> {
  if (typeof (source as Partial<Blob> | undefined)?.stream !== 'function') throw new TypeError('importJsonl takes a Blob or File.')
  const started = import('./start-import.ts').then(({ startImport }) => startImport({ name, mode, store, source, signal: options.signal, makeWorker: makeJobWorker }))
  const result = started.then((job) => job.result)
  return {
    result,
    async *[Symbol.asyncIterator]() {
      // Who iterates hears of the failure there.
      result.catch(() => undefined)
      yield* await started
    },
  }
}
