import type { OpenedStore, OpeningAttempt } from '../opening/ladder.ts'
import { drawId } from '../session/draw-id.ts'
import { connectWorker, type WorkerConnection, type WorkerLike } from './connect-worker.ts'

/** How the workers of a store are started. */
export interface WorkerPlan {
  readonly attempt: OpeningAttempt
  readonly make: () => WorkerLike
  /** The worker belongs to the app and may serve others, so it must not be ended. */
  readonly isLent: boolean
  /** What the operation ids of this page begin with. */
  readonly operations: string
}

/** Makes the store whose first worker is being started. */
export type CreateWorkerStore = (plan: WorkerPlan, first: Promise<WorkerConnection>) => Promise<OpenedStore>

/**
 * Opens a store in a worker, and another worker when that one dies. Rejects when the first one can't be opened.
 *
 * @param load - loads the rest of the code, while the worker starts
 */
export async function openWorkerStore(
  attempt: OpeningAttempt,
  make: () => WorkerLike,
  isLent: boolean,
  load: () => Promise<CreateWorkerStore>,
): Promise<OpenedStore> {
  const operations = `${drawId()}.`
  const first = connectWorker({ ...attempt, make, isLent, operations })
  const ignore = (): void => undefined
  first.catch(ignore)
  const create = await load().catch((error: unknown) => {
    first.then((started) => started.end(), ignore)
    throw error
  })
  return create({ attempt, make, isLent, operations }, first)
}
