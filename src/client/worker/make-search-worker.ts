/** Makes a search worker. In what a page loads at once, because bundlers look for workers there. */
export const makeSearchWorker = (): Worker =>
  new Worker(new URL('../../../worker/search.worker.ts', import.meta.url), {
    type: 'module',
    name: 'keepsession-search',
  })
