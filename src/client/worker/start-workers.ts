import type { SessionStore } from '../../contract/store/session-store.ts'
import type { Recovery } from '../recovery/recovery.ts'
import type { RecoveryReport } from '../store-health.ts'
import { connectWorker, type WorkerConnection, type WorkerEvents, type WorkerLike } from './connect-worker.ts'
import type { StoreHelpers } from './store-helpers.ts'
import type { WorkerPlan } from './worker-store.ts'

/** What the workers of a store report to. */
export interface WorkerOwner extends Pick<WorkerEvents, 'onPong' | 'onTrouble'> {
  /** The store that this page's calls go to, whichever worker it is in, without waiting for held writes. */
  store(): SessionStore
  /** Uses a worker from now on. */
  take(started: WorkerConnection): void
  /** @param reason - why it can't reach its database; absent: the worker died or hangs */
  lose(lost: WorkerConnection, reason?: string): void
  connect(): Promise<WorkerConnection>
}

/** Starts the workers of a store, one after the other. */
export interface WorkerStarter {
  /** Uses the first worker, or one that is started elsewhere if its database can't be opened as usual. */
  first(starting: Promise<WorkerConnection>): Promise<WorkerConnection>
  /** Starts another one. @param takeReason - returns, once, why the last one could not reach its database, if so */
  next(takeReason: () => string | undefined): Promise<WorkerConnection>
  restarts(): number
  recovery(): RecoveryReport | undefined
  readonly turn: Recovery['turn']
  close(): Promise<void>
}

/** @param loadHelpers - absent: a lost database is not reached again */
export function startWorkers(
  { attempt, make, isLent, operations }: WorkerPlan,
  loadHelpers: (() => Promise<StoreHelpers>) | undefined,
  owner: WorkerOwner,
): WorkerStarter {
  let restarts = 0
  let recovery: Recovery | undefined
  let epoch: string | undefined

  function listen(started: WorkerConnection): WorkerConnection {
    started.listen({
      ...owner,
      onLost: (reason) => owner.lose(started, reason),
      // If the repair fails, the call that needs the rows reports it.
      onRepair: async (key) =>
        loadHelpers?.()
          .then((helpers) => helpers.repairRows(attempt, key))
          .catch(() => undefined),
    })
    return started
  }
  const start = async (making: () => WorkerLike): Promise<WorkerConnection> =>
    listen(await connectWorker({ ...attempt, make: making, isLent, ...(restarts === 0 ? { operations } : {}) }))

  return {
    first: async (starting) => {
      let started: WorkerConnection
      try {
        started = await starting
        // Taken first, because it may have been lost while this code was loaded.
        owner.take(started)
        listen(started)
      } catch (why) {
        if (loadHelpers === undefined || isLent) throw why
        started = await (await loadHelpers()).startElsewhere(why, attempt, make, start)
        owner.take(started)
      }
      epoch = started.epoch
      return started
    },
    next: async (takeReason) => {
      restarts++
      recovery ??= (await loadHelpers?.())?.openRecovery({
        ...owner,
        attempt,
        make,
        isLent,
        epoch,
        store: owner.store(),
        start,
      })
      return recovery?.start(takeReason()) ?? start(make)
    },
    restarts: () => restarts,
    recovery: () => recovery?.report(),
    turn: (target) => recovery?.turn(target),
    close: async () => recovery?.close(),
  }
}
