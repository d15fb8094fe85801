import { isSessionError } from '../contract/errors.ts'
import type { WorkerConnection, WorkerLike } from './connect-worker.ts'
import { makeFrameWorker, useFrames } from './frame-worker.ts'
import type { OpeningAttempt } from './ladder.ts'

/** How WebKit words that a document is cut off. */
const cutOff = /database server/i

/**
 * Opens a store in a worker from a fresh frame, where the document can reach no database because Safari's process for them died under it:
 * the sessions are there, and to go on in Web Storage would hide them.
 *
 * @param why - what the opening in a worker of the document failed with
 * @throws it, where it says something else or a frame is no help
 */
export async function startInFrame(why: unknown, attempt: OpeningAttempt, make: () => WorkerLike, start: (make: () => WorkerLike) => Promise<WorkerConnection>): Promise<WorkerConnection> {
  if (!isSessionError(why, 'StorageUnavailable') || !cutOff.test(why.message)) throw why
  try {
    const worker = await makeFrameWorker(make)
    const started = await start(() => worker)
    useFrames(attempt)
    return started
  } catch {
    throw why
  }
}
