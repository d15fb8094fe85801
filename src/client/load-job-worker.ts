import type { WorkerLike } from './connect-worker.ts'
import { loadInlineWorker } from './inline-worker.ts'
import type { StoreMode } from './types.ts'

/**
 * Ways to a worker beside the store's, and of the same kind, best first; none where the store is in the page. Each loads what it needs and
 * gives what makes the workers.
 */
export function jobWorkerLoaders(mode: StoreMode, makeWorker: () => WorkerLike, kind: 'job' | 'search' = 'job'): readonly (() => Promise<() => WorkerLike>)[] {
  const inline = () => loadInlineWorker(kind)
  return { worker: [async () => makeWorker, inline], 'inline-worker': [inline], 'in-page': [], 'web-storage': [], memory: [] }[mode]
}
