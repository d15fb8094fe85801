import { isSessionError } from '../../contract/errors.ts'
import type { ProtocolVersion } from '../../contract/worker-protocol.ts'
import { makeForStore } from '../worker/bucket-worker.ts'
import type { WorkerConnection, WorkerLike } from '../worker/connect-worker.ts'
import { loadInlineWorker } from '../worker/inline-worker.ts'
import type { OpeningAttempt } from './ladder.ts'

const protocol: ProtocolVersion = 1

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
    if (starting.isLent || !isOfOtherRelease(error)) throw error
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

/** Whether a worker failed because its release is not the page's: by what is stored, or by the protocol it states. */
function isOfOtherRelease(error: unknown): boolean {
  if (isSessionError(error, 'VersionConflict')) return true
  if (!isSessionError(error, 'StorageUnavailable')) return false
  const stated = (error.cause as { readonly protocol?: number } | undefined)?.protocol
  return stated !== undefined && stated !== protocol
}
