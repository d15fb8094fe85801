import type { ChangeSink, StoreChange } from '../../contract/change.ts'
import type { RepairedRows } from '../../contract/row-salvage.ts'
import type { JobMethod } from '../../contract/store/session-store.ts'
import type { OpenedStore, OpeningAttempt } from '../opening/ladder.ts'
import { drawId } from '../session/draw-id.ts'
import type { WorkerLike } from './connect-worker.ts'
import { keepWorker } from './keep-worker.ts'
import { lazyJobs } from './lazy-jobs.ts'
import type { Recovery, RecoveryLink } from './recovery.ts'
import { createRemoteStore } from './remote-store.ts'
import type { startElsewhere } from './start-elsewhere.ts'
import { startWorkers } from './start-workers.ts'

/** Does the jobs of a store in a worker other than the store's. */
export interface StoreJobs {
  run(method: JobMethod, args: readonly unknown[]): Promise<unknown>
  /** Settles jobs under way, and ends their worker. */
  close(): Promise<void>
}

/** What helper workers, which run alongside the worker of a store, do for it. */
export interface StoreHelpers {
  /** Gets ready to do a store's jobs. It tells what they change. */
  openJobs(attempt: OpeningAttempt, onChange: ChangeSink): StoreJobs
  /** Finds other ways to the database, when it can't be reached by the first any more. */
  openRecovery(link: RecoveryLink): Recovery
  /** Makes rows of a session again that can't be read. */
  repairRows(attempt: OpeningAttempt, key: string): Promise<RepairedRows | undefined>
  /** Opens the first one where its database can't be opened as usual. @throws what it is given, where nothing helps */
  readonly startElsewhere: typeof startElsewhere
}

/**
 * Opens a store in a worker, and another worker when that one dies. Rejects when the first one can't be opened.
 *
 * @param isLent - the worker is the app's and may serve others, so that it is not ours to end
 * @param loadHelpers - absent: the worker does its jobs itself
 */
export async function openWorkerStore(
  attempt: OpeningAttempt,
  make: () => WorkerLike,
  isLent = false,
  loadHelpers?: () => Promise<StoreHelpers>,
): Promise<OpenedStore> {
  const operations = `${drawId()}.`
  // The worker first: what the page asks when it receives a change is answered by a worker that knows it.
  const receive = (changes: readonly StoreChange[]): void => {
    keeper.current()?.announce(changes)
    changes.forEach(attempt.feed.emit)
  }
  const [runJob, closeJobs] =
    loadHelpers === undefined ? [] : lazyJobs(attempt, loadHelpers, (change) => receive([change]))
  const remote = createRemoteStore(operations, {
    connect: () => keeper.connect(),
    watch: (isWaiting) => keeper.watch(isWaiting),
    runJob,
    close: async () => {
      await closeJobs?.()
      await keeper.close()
    },
  })
  const keeper = keepWorker(attempt.feed, remote, (owner) =>
    startWorkers(attempt, make, isLent, operations, owner, loadHelpers),
  )
  const { epoch, mirror, encryption } = await keeper.open()
  return {
    store: remote.store,
    restarts: keeper.starter.restarts,
    recovery: keeper.starter.recovery,
    epoch,
    mirror,
    encryption,
    mirrorNow: () => keeper.current()?.mirror,
    receive,
    announce: (changes) => keeper.current()?.announce(changes),
  }
}
