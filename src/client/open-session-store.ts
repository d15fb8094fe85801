import type { Opener, OpeningAttempt } from './ladder.ts'
import { makeJobWorker } from './make-job-worker.ts'
import { makeSearchWorker } from './make-search-worker.ts'
import { openStore } from './open-store.ts'
import type { OpenOptions, SessionClient, StoreMode } from './types.ts'
import { type LoadJobs, openWorkerStore } from './worker-store.ts'

/** The engine in this realm, which a page loads only when it needs it. */
const loadDirect = () => import('../direct.ts')
const loadLater = () => import('./later-parts.ts')

/** What does the jobs of a store in a worker of this kind. */
const jobsBeside = (mode: StoreMode): LoadJobs => async (attempt, onChange) => (await loadLater()).openStoreJobs(attempt, mode, makeJobWorker, inPage('in-page'), onChange)

/** Puts back what a database lost while it was open. */
const refillOf = (mode: StoreMode, attempt: OpeningAttempt) => async (): Promise<void> => (await loadLater()).refillLost(mode, attempt)

/** Opens in this realm. */
function inPage(mode: 'in-page' | 'web-storage' | 'memory'): Opener {
  return async (attempt) => (await loadDirect()).inPageOpeners[mode](attempt)
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
    worker: (attempt) => openWorkerStore(attempt, typeof worker === 'function' ? worker : () => worker, typeof worker !== 'function', jobsBeside('worker'), refillOf('worker', attempt)),
    'inline-worker': async (attempt) => openWorkerStore(attempt, await (await import('./inline-worker.ts')).loadInlineWorker('session'), false, jobsBeside('inline-worker'), refillOf('inline-worker', attempt)),
    'in-page': inPage('in-page'),
    'web-storage': inPage('web-storage'),
    memory: inPage('memory'),
  } satisfies Record<string, Opener>
  return openStore(options, modes, ladder, {
    load: loadLater,
    createEphemeralStore: async (onChange) => (await loadDirect()).createEphemeralStore({ onChange }),
    openSearch: async (opened) => (await import('./search.ts')).createSearch(opened, makeSearchWorker),
  })
}
