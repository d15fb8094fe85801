import { isSessionError } from '../../contract/errors.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import { startInlined } from '../opening/start-of-this-release.ts'
import { bucketsHere, inBucket, useBucket } from './bucket-worker.ts'
import type { WorkerConnection, WorkerLike } from './connect-worker.ts'
import { makeFrameWorker, useFrames } from './frame-worker.ts'

/** How WebKit words that a document is cut off. */
const cutOff = /database server/i

/** How we word that a browser could not open a database. */
const unopened = /^Could not open the database .*: IndexedDB failed/s

type Start = (make: () => WorkerLike) => Promise<WorkerConnection>

/**
 * Opens a store where its database can't be opened from a worker of the document, or not by that file: to go on in Web
 * Storage would hide the sessions.
 *
 * @param why - what the opening in a worker of the document failed with
 * @throws it, where nothing helps
 */
export async function startElsewhere(
  why: unknown,
  attempt: OpeningAttempt,
  make: () => WorkerLike,
  start: Start,
): Promise<WorkerConnection> {
  // The file of the worker may be an old one, which a cache has kept.
  if (isSessionError(why, 'VersionConflict')) return startInlined({ attempt, start }, why)
  if (!isSessionError(why, 'StorageUnavailable')) throw why
  try {
    if (cutOff.test(why.message)) return await startInFrame(attempt, make, start)
    if (unopened.test(why.message)) return await startInBucket(attempt, make, start)
  } catch {
    // What was said first is why.
  }
  throw why
}

/**
 * In a fresh frame, where the document can reach no database because Safari's process for them died under it: the
 * sessions are there.
 */
async function startInFrame(attempt: OpeningAttempt, make: () => WorkerLike, start: Start): Promise<WorkerConnection> {
  const worker = await makeFrameWorker(make)
  const started = await start(() => worker)
  useFrames(attempt)
  return started
}

/**
 * In a bucket of the store's own, which is another folder on the disk: Chromium keeps all databases of an origin in one
 * LevelDB, and where that is damaged so that it does not open, none of them does, nor can one be deleted, for ever.
 * Only with a mirror: it fills the new database before anybody reads it, and the old one with what is stored here,
 * should that open again.
 */
async function startInBucket(attempt: OpeningAttempt, make: () => WorkerLike, start: Start): Promise<WorkerConnection> {
  if (!attempt.mirror || bucketsHere() === undefined) throw new Error('There is no other place.')
  const started = await start(() => inBucket(make(), attempt.name))
  if (started.mirror?.isOn !== true) {
    started.end()
    throw new Error('There is no mirror.')
  }
  useBucket(attempt)
  return started
}
