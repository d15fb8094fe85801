import type { ChangeSink, StoreChange } from '../../contract/change.ts'
import type { RepairedRows } from '../../contract/row-salvage.ts'
import type { JobMethod } from '../../contract/store/session-store.ts'
import type { OpenedStore, OpeningAttempt } from '../opening/ladder.ts'
import { drawId } from '../session/draw-id.ts'
import { connectWorker, type WorkerConnection, type WorkerLike } from './connect-worker.ts'
import { inTime } from './in-time.ts'
import { onLockFree, onWorkerGone } from './page-lock.ts'
import type { Recovery, RecoveryLink } from './recovery.ts'
import { createRemoteStore, graceMs } from './remote-store.ts'
import type { startElsewhere } from './start-elsewhere.ts'

const pingMs = 1000
/**
 * Unanswered pings after which a worker counts as dead or hung: more than the longest legitimate work between two
 * answers takes. With locks, its death is noticed at once.
 */
const patience = 5
/** A worker that dies within this time of its start would probably do so again. */
const youngMs = 5000
/** How long a worker may take to close its store. */
const closingMs = 2000

/** Does the jobs of a store in a worker other than the store's. */
export interface StoreJobs {
  run(method: JobMethod, args: readonly unknown[]): Promise<unknown>
  /** Settles running jobs, and ends their worker. */
  close(): Promise<void>
}

/** What helper workers, which run alongside the worker of a store, do for it. */
export interface StoreHelpers {
  /** Prepares to run a store's jobs, and reports their changes. */
  openJobs(attempt: OpeningAttempt, onChange: ChangeSink): StoreJobs
  /** Finds other ways to reach the database after the first one failed. */
  openRecovery(link: RecoveryLink): Recovery
  /** Rebuilds unreadable rows of a session. */
  repairRows(attempt: OpeningAttempt, key: string): Promise<RepairedRows | undefined>
  /** Starts the first worker if its database can't be opened as usual. @throws the given error, if nothing helps */
  readonly startElsewhere: typeof startElsewhere
}

/**
 * Opens a store in a worker, and another worker when that one dies. Rejects when the first one can't be opened.
 *
 * @param isLent - the worker belongs to the app and may serve others, so it must not be ended
 * @param loadHelpers - absent: the worker runs its jobs itself
 */
export async function openWorkerStore(
  attempt: OpeningAttempt,
  make: () => WorkerLike,
  isLent = false,
  loadHelpers?: () => Promise<StoreHelpers>,
): Promise<OpenedStore> {
  const { feed } = attempt
  const operations = `${drawId()}.`
  let connection: WorkerConnection | undefined
  let starting: Promise<WorkerConnection> | undefined
  let restarts = 0
  let isEnded = false
  let startedAt = 0
  let unanswered = 0
  let tickedAt = 0
  let wasLate = false
  let timer: ReturnType<typeof setInterval> | undefined
  let isWaiting = false
  let stopWatching: () => void = () => undefined
  let recovery: Recovery | undefined
  let whyLost: string | undefined

  async function start(making: () => WorkerLike): Promise<WorkerConnection> {
    const started: WorkerConnection = await connectWorker({
      ...attempt,
      make: making,
      isLent,
      ...(restarts === 0 ? { operations } : {}),
      onChanges: (changes) => changes.forEach(feed.emit),
      onPong: () => {
        unanswered = 0
        if (!isWaiting) stopPinging()
      },
      // An uncaught error need not have killed it: it gets one ping to show that it is alive.
      onTrouble: () => {
        startPinging()
        tick()
        unanswered = patience
      },
      onLost: (reason) => lose(started, reason),
      // If the repair fails, the call that needs the rows reports it.
      onRepair: (key) =>
        loadHelpers!()
          .then((helpers) => helpers.repairRows(attempt, key))
          .catch(() => undefined),
    })
    return started
  }

  function take(started: WorkerConnection): WorkerConnection {
    connection = started
    startedAt = Date.now()
    unanswered = 0
    stopWatching = onWorkerGone(started.lock, () => lose(started))
    return started
  }

  function tick(): void {
    if (connection === undefined) return
    const now = performance.now()
    const isLate = now - tickedAt > pingMs * 2
    tickedAt = now
    // The page itself was frozen, busy or asleep, so answers may be waiting for it. If timers are only slow, the next
    // one is late as well.
    if (isLate && !wasLate) unanswered = 0
    wasLate = isLate
    if (unanswered >= patience) return lose(connection)
    unanswered++
    connection.ping()
  }
  const startPinging = (): void => void (timer ??= setInterval(tick, pingMs))
  function stopPinging(): void {
    clearInterval(timer)
    timer = undefined
    unanswered = 0
  }

  function drop(): void {
    stopWatching()
    connection?.end()
    connection = undefined
  }

  let again: ReturnType<typeof setTimeout> | undefined
  /** @param reason - why it can't reach its database; absent: the worker died or hangs */
  function lose(lost: WorkerConnection, reason?: string): void {
    if (connection !== lost || isEnded) return
    drop()
    whyLost = reason
    remote.lose(lost, reason !== undefined)
    // Without a worker the page receives no changes of other tabs. A worker that died at once is restarted with a
    // delay, lest it dies again and again.
    const isYoung = Date.now() - startedAt < youngMs
    clearTimeout(again)
    again = setTimeout(() => isEnded || connect().catch(() => undefined), isYoung ? youngMs : 0)
  }

  async function restart(): Promise<WorkerConnection> {
    restarts++
    recovery ??= (await loadHelpers?.())?.openRecovery({
      attempt,
      make,
      isLent,
      epoch: first.epoch,
      store: remote.store,
      start,
      lose,
      connect,
    })
    const why = whyLost
    whyLost = undefined
    const started = await (recovery?.start(why) ?? start(make))
    if (isEnded) started.end()
    else take(started)
    if (recovery?.report()?.rung !== 'memory')
      feed.emit({
        type: 'notice',
        name: 'workerRestarted',
        message: 'A lost worker was replaced; pending calls are repeated.',
      })
    return started
  }

  let jobs: Promise<StoreJobs> | undefined
  // The worker first, so that it knows a change before it answers what the page asks because of it.
  const receive = (changes: readonly StoreChange[]): void => {
    connection?.announce(changes)
    changes.forEach(feed.emit)
  }

  const connect = async (): Promise<WorkerConnection> =>
    connection ?? inTime((starting ??= restart().finally(() => (starting = undefined))), graceMs)

  const remote = createRemoteStore(operations, {
    connect,
    watch: (waiting) => {
      isWaiting = waiting
      if (waiting) startPinging()
      else stopPinging()
    },
    runJob:
      loadHelpers &&
      (async (method, args) => {
        jobs ??= loadHelpers().then(
          (helpers) => helpers.openJobs(attempt, (change) => receive([change])),
          (error: unknown) => {
            // Loading may succeed the next time.
            jobs = undefined
            throw error
          },
        )
        return (await jobs).run(method, args)
      }),
    close: async () => {
      // The waiting calls have reported a failed loading already.
      await (await jobs?.catch(() => undefined))?.close()
      isEnded = true
      clearTimeout(again)
      await recovery?.close()
      const { lock, remote: { close } = {} } = connection ?? {}
      stopWatching()
      // A worker that is dead or hangs is ended as well.
      if (close !== undefined)
        await inTime(
          Promise.race([close(), new Promise<void>((resolve) => (stopWatching = onLockFree(lock, resolve)))]),
          closingMs,
        ).catch(() => undefined)
      stopPinging()
      drop()
    },
  })
  const first = take(
    await start(make).catch(async (why: unknown) => {
      if (loadHelpers === undefined || isLent) throw why
      return (await loadHelpers()).startElsewhere(why, attempt, make, start)
    }),
  )
  const { epoch, mirror, encryption } = first
  return {
    store: remote.store,
    restarts: () => restarts,
    recovery: () => recovery?.report(),
    epoch,
    mirror,
    encryption,
    mirrorNow: () => connection?.mirror,
    receive,
    announce: (changes) => connection?.announce(changes),
  }
}
