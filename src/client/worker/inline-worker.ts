import type { WorkerLike } from './connect-worker.ts'

/** How long a worker may take to read its source: its constructor returns before. */
const readMs = 10_000

const kinds = {
  session: { name: 'keepsession', load: () => import('virtual:session-worker-source') },
  job: { name: 'keepsession-jobs', load: () => import('virtual:job-worker-source') },
  search: { name: 'keepsession-search', load: () => import('virtual:search-worker-source') },
  sync: { name: 'keepsession-sync', load: () => import('virtual:sync-worker-source') },
} as const

/**
 * Loads what makes workers that need no file: for apps whose bundler or host lost it. A policy without `blob:` forbids
 * them.
 *
 * @throws an error for people where there are no workers at all
 */
export async function loadInlineWorker(kind: keyof typeof kinds): Promise<() => WorkerLike> {
  if ((globalThis.Worker as unknown) === undefined) throw new Error('There are no workers here.')
  const { name, load } = kinds[kind]
  const { default: source } = await load()
  return () => {
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
    setTimeout(() => URL.revokeObjectURL(url), readMs)
    return new Worker(url, { type: 'module', name })
  }
}
