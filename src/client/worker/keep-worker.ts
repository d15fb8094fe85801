import type { ChangeFeed } from '../session/change-feed.ts'
import type { WorkerConnection } from './connect-worker.ts'
import { inTime } from './in-time.ts'
import { onLockFree, onWorkerGone } from './page-lock.ts'
import { graceMs, type RemoteStore } from './remote-store.ts'
import type { WorkerOwner, WorkerStarter } from './start-workers.ts'
import { createWorkerHeartbeat } from './worker-heartbeat.ts'

/** A worker that dies within this time of its start would likely do so again. */
const youngMs = 5000
/** How long a worker may take to close its store. */
const closingMs = 2000

/** Holds the worker that a store has at the moment. */
export interface WorkerKeeper {
  /** Checks that the worker is alive while calls wait for answers. */
  watch(isWaiting: boolean): void
  readonly starter: WorkerStarter
  current(): WorkerConnection | undefined
  /** Starts the first worker. */
  open(): Promise<WorkerConnection>
  /** Waits a while for another worker if there is none. */
  connect(): Promise<WorkerConnection>
  close(): Promise<void>
}

/** Keeps a worker for a store: when one is lost, another one takes its place. */
export function keepWorker(
  feed: ChangeFeed,
  remote: RemoteStore,
  createStarter: (owner: WorkerOwner) => WorkerStarter,
): WorkerKeeper {
  let connection: WorkerConnection | undefined
  let starting: Promise<WorkerConnection> | undefined
  let isEnded = false
  let startedAt = 0
  let stopWatching: () => void = () => undefined
  let whyLost: string | undefined
  let again: ReturnType<typeof setTimeout> | undefined

  function take(started: WorkerConnection): WorkerConnection {
    connection = started
    startedAt = Date.now()
    stopWatching = onWorkerGone(started.lock, () => lose(started))
    return started
  }

  function drop(): void {
    stopWatching()
    connection?.end()
    connection = undefined
  }

  function lose(lost: WorkerConnection, reason?: string): void {
    if (connection !== lost || isEnded) return
    drop()
    whyLost = reason
    remote.lose(lost, reason !== undefined)
    // Without a worker the page receives no changes of other tabs. One that died at once is given time, lest it dies
    // again and again.
    const isYoung = Date.now() - startedAt < youngMs
    clearTimeout(again)
    again = setTimeout(() => isEnded || connect().catch(() => undefined), isYoung ? youngMs : 0)
  }

  async function restart(): Promise<WorkerConnection> {
    const started = await starter.next(() => {
      const why = whyLost
      whyLost = undefined
      return why
    })
    if (isEnded) started.end()
    else take(started)
    if (starter.recovery()?.rung !== 'memory')
      feed.emit({
        type: 'notice',
        name: 'workerRestarted',
        message: 'A lost worker was replaced; calls under way are repeated.',
      })
    return started
  }

  const connect = async (): Promise<WorkerConnection> =>
    connection ?? inTime((starting ??= restart().finally(() => (starting = undefined))), graceMs)

  async function close(): Promise<void> {
    isEnded = true
    clearTimeout(again)
    await starter.close()
    const { lock, remote: { close: closeStore } = {} } = connection ?? {}
    stopWatching()
    // One that is dead or hangs is ended all the same.
    if (closeStore !== undefined)
      await inTime(
        Promise.race([closeStore(), new Promise<void>((resolve) => (stopWatching = onLockFree(lock, resolve)))]),
        closingMs,
      ).catch(() => undefined)
    stopPinging()
    drop()
  }

  const [watch, onPong, onTrouble, stopPinging] = createWorkerHeartbeat(() => connection, lose)
  const starter = createStarter({ onPong, onTrouble, store: remote.store, connect, lose })
  return { watch, starter, current: () => connection, open: async () => take(await starter.first()), connect, close }
}
