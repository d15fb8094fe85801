import type { SessionStore } from '../../contract/store/session-store.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import { startOfThisRelease } from '../opening/start-of-this-release.ts'
import type { RecoveryRung } from '../store-health.ts'
import { makeForStore } from '../worker/bucket-worker.ts'
import type { WorkerConnection, WorkerLike } from '../worker/connect-worker.ts'
import { makeFrameWorker } from '../worker/frame-worker.ts'

/** What a recovery needs of a store behind a worker. */
export interface RecoveryLink {
  readonly attempt: OpeningAttempt
  readonly make: () => WorkerLike
  /** The worker is the app's own and can't be replaced. */
  readonly isLent: boolean
  /** Epoch of the database that was opened first. */
  readonly epoch: string | undefined
  readonly store: SessionStore
  /** Opens the store in a worker that is not in use yet. */
  start(make: () => WorkerLike): Promise<WorkerConnection>
  /** Gives up a connection in favour of the next one. */
  lose(connection: WorkerConnection, reason: string): void
  /** Connects to the next worker. */
  connect(): Promise<WorkerConnection>
}

/** A way to reach a database. */
export interface RecoveryWay {
  readonly rung: RecoveryRung
  open(): Promise<WorkerConnection>
}

/** The ways there are, in the order in which they are tried: a new worker, and one from a new frame (Safari). */
export function recoveryWays(link: RecoveryLink): readonly RecoveryWay[] {
  const make = makeForStore(link.attempt, link.attempt.name, link.make)
  const worker: RecoveryWay = { rung: 'worker', open: () => startOfThisRelease(link, make) }
  if (link.isLent) return [worker]
  const openInFrame = async (): Promise<WorkerConnection> => {
    const made = await makeFrameWorker(make)
    return link.start(() => made)
  }
  return [worker, { rung: 'frame', open: openInFrame }]
}
