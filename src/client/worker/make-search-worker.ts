/** Starts a search worker. Part of the page entry, because bundlers look for workers there. */
export const makeSearchWorker = (): Worker =>
  new Worker(new URL('../../../worker/search.worker.ts', import.meta.url), {
    type: 'module',
    name: 'keepsession-search',
  })
