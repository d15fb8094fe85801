/** Starts a job worker. Part of the page entry, because bundlers look for workers there. */
export const makeJobWorker = (): Worker =>
  new Worker(new URL('../../../worker/job.worker.ts', import.meta.url), { type: 'module', name: 'keepsession-jobs' })
