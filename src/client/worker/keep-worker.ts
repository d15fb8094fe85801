import type { SessionStore } from '../../contract/store/session-store.ts'
import type { WorkerConnection } from './connect-worker.ts'
import { inTime } from './in-time.ts'
import { onLockFree } from './page-lock.ts'
import { graceMs } from './remote-store.ts'
import { startWorkers, type WorkerStarter } from './start-workers.ts'
import type { StoreHelpers } from './store-helpers.ts'
import { createWorkerHeartbeat, type WorkerHeartbeat } from './worker-heartbeat.ts'
import type { WorkerPlan } from './worker-store.ts'

/** A worker that dies within this time of its start would probably do so again. */
const youngMs = 5000
/** How long it takes to try again when no worker could be started. */
const retryMs = 30_000
/** How long a worker may take to close its store. */
const closingMs = 2000

export interface KeptWorker
  extends Pick<WorkerStarter, 'restarts' | 'recovery' | 'turn'>,
    Pick<WorkerHeartbeat, 'watch'> {
  /** Takes the first worker. Rejects if its database can't be opened. */
  open(starting: Promise<WorkerConnection>): Promise<WorkerConnection>
  /** Connects to the worker, to a new one if there is none. */
  connect(): Promise<WorkerConnection>
  current(): WorkerConnection | undefined
  /** Closes the worker's store, and ends the worker for good. */
  close(): Promise<void>
}

/**
 * Keeps one worker for a store: when it dies, hangs or can't reach its database, another one takes its place.
 *
 * @param store - the store that this page's calls go to, whichever worker it is in, without waiting for held writes
 * @param onLost - called with a lost worker; `isWell` if it is alive but can't reach its database
 */
export function keepWorker(
  plan: WorkerPlan,
  loadHelpers: (() => Promise<StoreHelpers>) | undefined,
  store: () => SessionStore,
  onLost: (lost: WorkerConnection, isWell: boolean) => void,
): KeptWorker {
  let connection: WorkerConnection | undefined
  let starting: Promise<WorkerConnection> | undefined
  let isEnded = false
  let startedAt = 0
  let whyLost: string | undefined
  let again: ReturnType<typeof setTimeout> | undefined

  function take(started: WorkerConnection): void {
    connection = started
    startedAt = Date.now()
  }

  function drop(): void {
    connection?.end()
    connection = undefined
  }

  function lose(lost: WorkerConnection, reason?: string): void {
    if (connection !== lost || isEnded) return
    drop()
    whyLost = reason
    onLost(lost, reason !== undefined)
    // Without a worker the page receives no changes of other tabs. A worker that died at once is restarted with a
    // delay, lest it dies again and again.
    const isYoung = Date.now() - startedAt < youngMs
    replaceIn(isYoung ? youngMs : 0)
  }

  /** Starts another worker after a pause, and tries again as long as none can be started. */
  function replaceIn(pause: number): void {
    clearTimeout(again)
    again = setTimeout(() => isEnded || connect().catch(() => isEnded || replaceIn(retryMs)), pause)
  }

  async function restart(): Promise<WorkerConnection> {
    const started = await workers.next(() => {
      const why = whyLost
      whyLost = undefined
      return why
    })
    if (isEnded) started.end()
    else take(started)
    if (workers.recovery()?.rung !== 'memory')
      plan.attempt.feed.emit({
        type: 'notice',
        name: 'workerRestarted',
        message: 'A lost worker was replaced; pending calls are repeated.',
      })
    return started
  }

  async function close(): Promise<void> {
    isEnded = true
    clearTimeout(again)
    await workers.close()
    if (connection !== undefined) await closeStore(connection)
    heartbeat.stop()
    drop()
  }

  const current = () => connection
  const connect = async (): Promise<WorkerConnection> =>
    connection ?? inTime((starting ??= restart().finally(() => (starting = undefined))), graceMs)
  const heartbeat = createWorkerHeartbeat(current, lose)
  const workers = startWorkers(plan, loadHelpers, { ...heartbeat, store, take, lose, connect })
  return { ...workers, open: workers.first, connect, current, watch: heartbeat.watch, close }
}

/** Closes the store of a worker, unless it is dead, or hangs. */
async function closeStore({ lock, remote }: WorkerConnection): Promise<void> {
  let stopWaiting: () => void = () => undefined
  const death = new Promise<void>((resolve) => (stopWaiting = onLockFree(lock, resolve)))
  await inTime(Promise.race([remote.close(), death]), closingMs).catch(() => undefined)
  stopWaiting()
}
