import { isSessionError } from '../../contract/errors.ts'
import { makeForStore } from '../worker/bucket-worker.ts'
import type { WorkerConnection, WorkerLike } from '../worker/connect-worker.ts'
import { loadInlineWorker } from '../worker/inline-worker.ts'
import type { OpeningAttempt } from './ladder.ts'

interface Starting {
  readonly attempt: OpeningAttempt
  /** The worker is the app's own and can't be replaced. */
  readonly isLent: boolean
  start(make: () => WorkerLike): Promise<WorkerConnection>
}

/**
 * Restarts the worker of a page. By now its file may be of another release: a new one was deployed in its place, or a
 * cache serves an old one. Then the page fetches the script of its own release.
 *
 * @throws the error of the first attempt, if that does not help
 */
export async function startOfThisRelease(starting: Starting, make: () => WorkerLike): Promise<WorkerConnection> {
  try {
    return await starting.start(make)
  } catch (error) {
    const isOfOther =
      isSessionError(error, 'VersionConflict') ||
      (isSessionError(error, 'StorageUnavailable') && /\bspeaks protocol\b/.test(error.message))
    if (starting.isLent || !isOfOther) throw error
    return startInlined(starting, error)
  }
}

/** Fetches and starts the worker of the page's own release. @throws `why`, where that does not help */
export async function startInlined(
  { attempt, start }: Pick<Starting, 'attempt' | 'start'>,
  why: unknown,
): Promise<WorkerConnection> {
  try {
    const inline = await loadInlineWorker('session')
    return await start(makeForStore(attempt, attempt.name, inline))
  } catch {
    throw why
  }
}
