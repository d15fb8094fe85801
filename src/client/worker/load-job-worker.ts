import type { StoreMode } from '../open-options.ts'
import { makeForStore } from './bucket-worker.ts'
import type { WorkerLike } from './connect-worker.ts'
import { loadInlineWorker } from './inline-worker.ts'

/** What a worker is for. */
export interface WorkerPlace {
  /** Of the store. */
  readonly name: string
  readonly mode: StoreMode
  /** Its opening, which knows where its database is. */
  readonly attempt?: object | undefined
}

/**
 * Ways to a worker beside the store's, and of the same kind, best first; none where the store is in the page. Each
 * loads what it needs and gives what makes the workers.
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
