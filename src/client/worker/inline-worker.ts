import type { WorkerLike } from './connect-worker.ts'

/** How long a worker may take to read its source: its constructor returns before. */
const readMs = 10_000

const kinds = {
  session: { name: 'keepsession', load: () => import('virtual:session-worker-url') },
  job: { name: 'keepsession-jobs', load: () => import('virtual:job-worker-url') },
  search: { name: 'keepsession-search', load: () => import('virtual:search-worker-url') },
  sync: { name: 'keepsession-sync', load: () => import('virtual:sync-worker-url') },
} as const

/**
 * Fetches a worker's script, to start it from a Blob: for pages that may not start it by its URL, because they come
 * from another origin than the package, and for those whose cache has a worker of another release. A policy without
 * `blob:` forbids such workers.
 *
 * @throws an error for people where there are no workers at all, or where the script can't be fetched
 */
export async function loadInlineWorker(kind: keyof typeof kinds): Promise<() => WorkerLike> {
  if ((globalThis.Worker as unknown) === undefined) throw new Error('There are no workers here.')
  const { name, load } = kinds[kind]
  const script = await scriptAt((await load()).default)
  return () => {
    const url = URL.createObjectURL(script)
    setTimeout(() => URL.revokeObjectURL(url), readMs)
    return new Worker(url, { type: 'module', name })
  }
}

/** Servers of single-page apps answer with the app's page where a file is missing, so the status alone says little. */
async function scriptAt(url: string | URL): Promise<Blob> {
  const response = await fetch(url)
  const type = response.headers.get('content-type') ?? 'no type'
  if (!response.ok || !/\b(java|ecma)script\b/.test(type))
    throw new Error(
      `The worker's script was not found: ${url} gave status ${response.status}, ${type}. Copy the worker files next to your bundle, as the README says.`,
    )
  return response.blob()
}
