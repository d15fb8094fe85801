import type { StoreMode } from '../open-options.ts'
import { makeForStore } from './bucket-worker.ts'
import type { WorkerLike } from './connect-worker.ts'
import { loadInlineWorker } from './inline-worker.ts'

/** The store that a worker is for. */
export interface WorkerPlace {
  /** Name of the store. */
  readonly name: string
  readonly mode: StoreMode
  /** Its opening attempt, which knows where the database is. */
  readonly attempt?: object | undefined
}

/**
 * Loaders of helper workers of the same kind as the store's worker, best first; none if the store is in the page. Each
 * loads the code it needs and returns a function that starts the workers.
 */
export function jobWorkerLoaders(
  { name, mode, attempt }: WorkerPlace,
  makeWorker: () => WorkerLike,
  kind: 'job' | 'search' = 'job',
): readonly (() => Promise<() => WorkerLike>)[] {
  const own = async () => makeForStore(attempt, name, makeWorker)
  const inline = async () => makeForStore(attempt, name, await loadInlineWorker(kind))
  return { worker: [own, inline], 'inline-worker': [inline], 'in-page': [], 'web-storage': [], memory: [] }[mode]
}
