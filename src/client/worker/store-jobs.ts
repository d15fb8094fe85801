import type { ChangeSink } from '../../contract/change.ts'
import { isSessionError } from '../../contract/errors.ts'
import type { JobMethod, SessionStore } from '../../contract/store/session-store.ts'
import type { StoreMode } from '../open-options.ts'
import type { OpenedStore, Opener, OpeningAttempt } from '../opening/ladder.ts'
import { createChangeFeed } from '../session/change-feed.ts'
import type { WorkerLike } from './connect-worker.ts'
import { createWorkerStore } from './create-worker-store.ts'
import { jobWorkerCandidates } from './job-worker-candidates.ts'
import type { StoreJobs } from './store-helpers.ts'
import { openWorkerStore } from './worker-store.ts'

/** How long a job worker is kept for the next job, because jobs often follow each other. */
const idleMs = 10_000

type JobStore = Pick<SessionStore, JobMethod | 'close'>

/** Opens a store for the first job, and closes it when there was no job for a while. */
export function createStoreJobs(open: () => Promise<JobStore>): StoreJobs {
  let opened: Promise<JobStore> | undefined
  let running = 0
  let isClosed = false
  let timer: ReturnType<typeof setTimeout> | undefined

  async function end(): Promise<void> {
    clearTimeout(timer)
    const ending = opened
    opened = undefined
    // The waiting jobs have reported a failed opening already.
    await (await ending?.catch(() => undefined))?.close()
  }

  return {
    run: async (method, args) => {
      running++
      clearTimeout(timer)
      try {
        opened ??= open()
        const store = await opened.catch((error: unknown) => {
          opened = undefined
          throw error
        })
        return await (store[method] as (...args: readonly unknown[]) => Promise<unknown>)(...args) // bounded: a method's parameters
      } catch (error) {
        // The next job opens the current database.
        if (isSessionError(error, 'DataLoss')) void end()
        throw error
      } finally {
        running--
        if (running === 0 && !isClosed) timer = setTimeout(end, idleMs)
      }
    },
    close: () => {
      isClosed = true
      return end()
    },
  }
}

/**
 * Runs jobs in a worker of their own, which acts as one more tab on the same database, or in the page if no worker can
 * be started.
 *
 * @param openInPage - opens the store in the page
 */
export function openStoreJobs(
  attempt: OpeningAttempt,
  mode: StoreMode,
  makeWorker: () => WorkerLike,
  openInPage: Opener,
  onChange: ChangeSink,
): StoreJobs {
  return createStoreJobs(async () => {
    const feed = createChangeFeed()
    feed.subscribe(onChange)
    const { store } = await openJobStore(
      { ...attempt, feed },
      jobWorkerCandidates(attempt, mode, makeWorker),
      openInPage,
    )
    return { ...store, close: () => store.close().finally(feed.close) }
  })
}

async function openJobStore(
  attempt: OpeningAttempt,
  loaders: ReturnType<typeof jobWorkerCandidates>,
  openInPage: Opener,
): Promise<OpenedStore> {
  let last: unknown
  for (const load of loaders) {
    try {
      return await openWorkerStore(attempt, await load(), false, async () => createWorkerStore)
    } catch (error) {
      // Blocked, missing, broken or of another release: the next candidate needs less.
      last = error
    }
  }
  // The last candidate has the release of the page, so the page would fail as well.
  if (isSessionError(last, 'VersionConflict')) throw last
  return openInPage(attempt)
}
