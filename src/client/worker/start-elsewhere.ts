import { isSessionError } from '../../contract/errors.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import { startInlined } from '../opening/start-of-this-release.ts'
import { bucketsHere, inBucket, useBucket } from './bucket-worker.ts'
import type { WorkerConnection, WorkerLike } from './connect-worker.ts'
import { makeFrameWorker, useFrames } from './frame-worker.ts'

/** WebKit's message for a document that is cut off from its databases. */
const cutOff = /database server/i

/** Our own message for a database that the browser could not open. */
const unopened = /^Could not open the database .*: IndexedDB failed/s

type Start = (make: () => WorkerLike) => Promise<WorkerConnection>

/**
 * Opens a store whose database can't be opened by a worker of this document, or by this worker file: continuing in Web
 * Storage would hide the sessions.
 *
 * @param why - the error of the opening in a worker of the document
 * @throws `why`, if nothing helps
 */
export async function startElsewhere(
  why: unknown,
  attempt: OpeningAttempt,
  make: () => WorkerLike,
  start: Start,
): Promise<WorkerConnection> {
  // The worker file may be an old one from a cache.
  if (isSessionError(why, 'VersionConflict')) return startInlined({ attempt, start }, why)
  if (!isSessionError(why, 'StorageUnavailable')) throw why
  try {
    if (cutOff.test(why.message)) return await startInFrame(attempt, make, start)
    if (unopened.test(why.message)) return await startInBucket(attempt, make, start)
  } catch {
    // The first error is the cause.
  }
  throw why
}

/**
 * Opens it in a new frame, if the document can reach no database because Safari's database process died: the sessions
 * still exist.
 */
async function startInFrame(attempt: OpeningAttempt, make: () => WorkerLike, start: Start): Promise<WorkerConnection> {
  const worker = await makeFrameWorker(make)
  const started = await start(() => worker)
  useFrames(attempt)
  return started
}

/**
 * Opens it in a bucket of this store, which is another folder on the disk. Chromium stores all databases of an origin
 * in one LevelDB; if that is damaged so that it doesn't open, no database opens or can be deleted, ever again. Only
 * with a mirror: it fills the new database before anybody reads it, and will fill the old one with what is stored here
 * if that opens again.
 */
async function startInBucket(attempt: OpeningAttempt, make: () => WorkerLike, start: Start): Promise<WorkerConnection> {
  if (!attempt.mirror || bucketsHere() === undefined)
    throw new Error('This browser has no storage buckets, or the store has no mirror.')
  const started = await start(() => inBucket(make(), attempt.name))
  if (started.mirror?.isOn !== true) {
    started.end()
    throw new Error('There is no mirror.')
  }
  useBucket(attempt)
  return started
}
