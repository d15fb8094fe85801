import { inPageOpeners } from './in-page-openers.ts'
import { openStore } from './open-store.ts'
import type { OpenOptions, SessionClient } from './types.ts'
import { openWorkerStore } from './worker-store.ts'

/** What a page loads only when it needs it: the engine in this realm. */
const loadInPage = () => import('../direct.ts')

/**
 * Opens the sessions of this origin: in a worker, and where that can't be had in the next best place; `health()` says which and why.
 * Importing this anywhere is safe; on a server it opens a store in memory.
 *
 * @throws StorageUnavailable when no mode works; VersionConflict when newer code wrote the database; UpgradeBlocked when another tab
 * holds it in an older version
 */
export function openSessionStore(options: OpenOptions = {}): Promise<SessionClient> {
  const { worker } = options
  return openStore(
    options,
    {
      worker: (attempt) => {
        const make =
          worker === undefined
            ? () => new Worker(new URL('../../worker/session.worker.ts', import.meta.url), { type: 'module', name: 'keepsession' })
            : () => (typeof worker === 'function' ? worker() : worker)
        return openWorkerStore(attempt, make)
      },
      'inline-worker': async (attempt) => {
        const { default: source } = await import('virtual:session-worker-source')
        const make = () => {
          const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
          // The worker has not read it yet when its constructor returns.
          setTimeout(() => URL.revokeObjectURL(url), attempt.timeoutMs)
          return new Worker(url, { type: 'module', name: 'keepsession' })
        }
        return openWorkerStore(attempt, make)
      },
      ...inPageOpeners(loadInPage),
    },
    ['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'],
    async (onChange) => (await loadInPage()).createEphemeralStore({ onChange }),
  )
}
