import type { Message } from '../../contract/message.ts'
import type { SessionClient } from '../client-contract.ts'
import type { OpenOptions, StoreMode } from '../open-options.ts'
import type { WorkerLike } from '../worker/connect-worker.ts'
import { makeSearchWorker } from '../worker/make-search-worker.ts'
import { openWorkerStore } from '../worker/worker-store.ts'
import type { OpenedStore, Opener, OpeningAttempt } from './ladder.ts'
import { openStore } from './open-store.ts'

/** The engine in this realm, which a page loads only when it needs it. */
const loadDirect = () => import('../../direct.ts')
const loadLater = () => import('./later-parts.ts')

/**
 * Opens the store in a worker, with a second worker of this kind for jobs. The code for it is loaded within the time
 * limit, because it is loaded beside the worker's script, which is larger.
 */
const inWorker = (
  mode: StoreMode,
  attempt: OpeningAttempt,
  make: () => WorkerLike,
  isLent = false,
): Promise<OpenedStore> =>
  openWorkerStore(attempt, make, isLent, async () => {
    const { createWorkerStore } = await import('../worker/create-worker-store.ts')
    const loadHelpers = async () => (await loadLater()).createHelpers(mode, openInPage)
    return (plan, first) => createWorkerStore(plan, first, loadHelpers)
  })

const openInPage: Opener = async (attempt) => (await loadDirect()).inPageOpeners['in-page'](attempt)

/**
 * Opens the sessions of this origin: in a worker, or if that is not possible, in the next best mode; `upkeep.health()`
 * reports which one and why. Importing this anywhere is safe; on a server it opens a store in memory.
 *
 * @throws StorageUnavailable when no mode works; VersionConflict when newer code wrote the database; UpgradeBlocked
 *   when another tab holds it in an older version
 */
export function openSessionStore<M extends object = Message>(options: OpenOptions<M> = {}): Promise<SessionClient<M>> {
  const {
    worker = () =>
      new Worker(new URL('../../../worker/session.worker.ts', import.meta.url), {
        type: 'module',
        name: 'keepsession',
      }),
  } = options
  const workerOpeners: Partial<Record<StoreMode, Opener>> = {
    worker: (attempt) =>
      inWorker('worker', attempt, typeof worker === 'function' ? worker : () => worker, typeof worker !== 'function'),
    'inline-worker': async (attempt) =>
      inWorker(
        'inline-worker',
        attempt,
        await (await import('../worker/inline-worker.ts')).loadInlineWorker('session'),
      ),
  }
  const { modes = ['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'] } = options
  const openerOf = async (mode: StoreMode) => {
    const own = workerOpeners[mode]
    if (own !== undefined) return own
    const { inPageOpeners } = await loadDirect()
    return inPageOpeners[mode as keyof typeof inPageOpeners]
  }
  const opening = openStore(options, modes, openerOf, {
    load: loadLater,
    createEphemeralStore: async (onChange) => (await loadDirect()).createEphemeralStore({ onChange }),
    openSearch: async (opened) => (await loadLater()).createSearch(opened, makeSearchWorker),
  })
  // The app itself states the type of its messages, as for a result of `JSON.parse`.
  return opening as Promise<unknown> as Promise<SessionClient<M>>
}
