import type { StoreChange } from '../../contract/change.ts'
import type { HostedStore } from '../../contract/worker-protocol.ts'
import type { OpenedStore } from '../opening/ladder.ts'
import type { WorkerConnection } from './connect-worker.ts'
import { keepWorker } from './keep-worker.ts'
import { createLazyJobs } from './lazy-jobs.ts'
import { createRemoteStore } from './remote-store.ts'
import type { StoreHelpers } from './store-helpers.ts'
import type { WorkerPlan } from './worker-store.ts'

/**
 * Creates the store of a page whose sessions are in a worker, on top of the first worker.
 *
 * @param loadHelpers - absent: the worker runs its jobs itself, and a lost database is not reached again
 */
export async function createWorkerStore(
  plan: WorkerPlan,
  first: Promise<WorkerConnection>,
  loadHelpers?: () => Promise<StoreHelpers>,
): Promise<OpenedStore> {
  const { attempt, operations } = plan
  const worker = keepWorker(
    plan,
    loadHelpers,
    () => remote.direct,
    (lost, isWell) => remote.lose(lost, isWell),
  )
  // The worker first, so that it knows a change before it answers what the page asks because of it.
  const receive = (changes: readonly StoreChange[]): void => {
    worker.current()?.announce(changes)
    changes.forEach(attempt.feed.emit)
  }
  const fold = (): Promise<void> => remote.fold()
  const jobs =
    loadHelpers &&
    createLazyJobs(async () => (await loadHelpers()).openJobs(attempt, (change) => receive([change])), fold)
  const remote = createRemoteStore(operations, {
    connect: worker.connect,
    turn: worker.turn,
    watch: worker.watch,
    runJob: jobs?.run,
    close: async () => {
      await jobs?.close()
      await worker.close()
    },
  })
  const { epoch, mirror, encryption } = await worker.open(first)
  return {
    store: remote.store,
    restarts: worker.restarts,
    recovery: worker.recovery,
    epoch,
    mirror,
    encryption,
    mirrorNow: () => worker.current()?.mirror,
    receive,
    fold,
    // Later calls come after it. A worker that takes its place is opened with it.
    relock: (to) => {
      const { relock } = (worker.current()?.remote ?? {}) as Partial<Pick<HostedStore, 'relock'>>
      void relock?.(to).catch(() => undefined)
    },
    announce: (changes) => worker.current()?.announce(changes),
  }
}
