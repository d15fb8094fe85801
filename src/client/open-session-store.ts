import type { Opener } from './ladder.ts'
import { openStore } from './open-store.ts'
import type { OpenOptions, SessionClient } from './types.ts'
import { openWorkerStore } from './worker-store.ts'

/** The engine in this realm, which a page loads only when it needs it. */
const loadDirect = () => import('../direct.ts')

/** Opens in this realm. */
function inPage(mode: 'in-page' | 'web-storage' | 'memory'): Opener {
  return async (attempt) => (await loadDirect()).inPageOpeners[mode](attempt)
}

/** A worker that needs no file: for apps whose bundler or host lost it. A policy without `blob:` forbids it. */
const openInlineWorker: Opener = async (attempt) => {
  if ((globalThis.Worker as unknown) === undefined) throw new Error('There are no workers here.')
  const { default: source } = await import('virtual:session-worker-source')
  return openWorkerStore(attempt, () => {
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
    // The worker has not read it yet when its constructor returns.
    setTimeout(() => URL.revokeObjectURL(url), attempt.timeoutMs)
    return new Worker(url, { type: 'module', name: 'keepsession' })
  })
}

/**
 * Opens the sessions of this origin: in a worker, and where that can't be had in the next best place; `health()` says which and why.
 * Importing this anywhere is safe; on a server it opens a store in memory.
 *
 * @throws StorageUnavailable when no mode works; VersionConflict when newer code wrote the database; UpgradeBlocked when another tab
 * holds it in an older version
 */
export function openSessionStore(options: OpenOptions = {}): Promise<SessionClient> {
  const { worker = () => new Worker(new URL('../../worker/session.worker.ts', import.meta.url), { type: 'module', name: 'keepsession' }) } = options
  const { modes = ['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'] } = options
  const ladder = {
    worker: (attempt) => openWorkerStore(attempt, typeof worker === 'function' ? worker : () => worker, typeof worker !== 'function'),
    'inline-worker': openInlineWorker,
    'in-page': inPage('in-page'),
    'web-storage': inPage('web-storage'),
    memory: inPage('memory'),
  } satisfies Record<string, Opener>
  return openStore(options, modes, ladder, {
    load: () => import('./later-parts.ts'),
    createEphemeralStore: async (onChange) => (await loadDirect()).createEphemeralStore({ onChange }),
  })
}
