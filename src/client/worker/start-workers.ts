import type { SessionStore } from '../../contract/store/session-store.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import type { RecoveryReport } from '../store-health.ts'
import { connectWorker, type WorkerConnection, type WorkerLike } from './connect-worker.ts'
import type { Recovery } from './recovery.ts'
import type { StoreHelpers } from './worker-store.ts'

/** What started workers report to, and what their replacement needs of the page. */
export interface WorkerOwner {
  onPong(): void
  onTrouble(): void
  readonly store: SessionStore
  connect(): Promise<WorkerConnection>
  /** @param reason - absent: the worker died, or hangs; otherwise it can't reach its database */
  lose(lost: WorkerConnection, reason?: string): void
}

export interface WorkerStarter {
  /** Starts the first worker, elsewhere where its database can't be opened as usual. */
  first(): Promise<WorkerConnection>
  /** Starts another one. @param takeReason - gives, once, why the last one could not reach its database, if so */
  next(takeReason: () => string | undefined): Promise<WorkerConnection>
  restarts(): number
  recovery(): RecoveryReport | undefined
  close(): Promise<void> | undefined
}

/** Starts the workers of a store, one after the other. */
export function startWorkers(
  attempt: OpeningAttempt,
  make: () => WorkerLike,
  isLent: boolean,
  operations: string,
  owner: WorkerOwner,
  loadHelpers?: () => Promise<StoreHelpers>,
): WorkerStarter {
  let restarts = 0
  let recovery: Recovery | undefined
  let epoch: string | undefined

  async function start(making: () => WorkerLike): Promise<WorkerConnection> {
    const started: WorkerConnection = await connectWorker({
      ...attempt,
      ...owner,
      make: making,
      isLent,
      ...(restarts === 0 ? { operations } : {}),
      onChanges: (changes) => changes.forEach(attempt.feed.emit),
      onLost: (reason) => owner.lose(started, reason),
      // The call that needs the repair reports what could not be done.
      onRepair: (key) =>
        loadHelpers!()
          .then((helpers) => helpers.repairRows(attempt, key))
          .catch(() => undefined),
    })
    return started
  }

  return {
    first: async () => {
      const started = await start(make).catch(async (why: unknown) => {
        if (loadHelpers === undefined || isLent) throw why
        return (await loadHelpers()).startElsewhere(why, attempt, make, start)
      })
      epoch = started.epoch
      return started
    },
    next: async (takeReason) => {
      restarts++
      recovery ??= (await loadHelpers?.())?.openRecovery({ ...owner, attempt, make, isLent, epoch, start })
      return recovery?.start(takeReason()) ?? start(make)
    },
    restarts: () => restarts,
    recovery: () => recovery?.report(),
    close: () => recovery?.close(),
  }
}
