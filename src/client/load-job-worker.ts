import type { WorkerLike } from './connect-worker.ts'
import { loadInlineWorker } from './inline-worker.ts'
import type { StoreMode } from './types.ts'

/**
 * Ways to a job worker of the same kind as the store's, best first; none where the store is in the page. Each loads what it needs and
 * gives what makes the workers.
 */
export function jobWorkerLoaders(mode: StoreMode, makeWorker: () => WorkerLike): readonly (() => Promise<() => WorkerLike>)[] {
  const inline = () => loadInlineWorker('job')
  return { worker: [async () => makeWorker, inline], 'inline-worker': [inline], 'in-page': [], 'web-storage': [], memory: [] }[mode]
}
