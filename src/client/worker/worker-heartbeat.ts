import type { WorkerConnection, WorkerEvents } from './connect-worker.ts'

const pingMs = 1000
/**
 * How many pings a worker may leave unanswered; with one more it counts as dead or hung. It is more than the longest
 * legitimate work between two answers takes. With locks, its death is noticed at once.
 */
const patience = 4
/**
 * A worker that was given long lists can't answer until it has read them, checked them and laid them out, all at once.
 * It gets another ping for each so many items, several times what that takes on a slow device: given up too early, it
 * would be at work for nothing, and the next one would be given up as well.
 */
const itemsPerPing = 1000
/** More than any list has items. */
const beyondPatience = 1e9

export interface WorkerHeartbeat extends Pick<WorkerEvents, 'onPong' | 'onTrouble'> {
  /**
   * Pings while calls wait for answers.
   *
   * @param items - how many items these calls carry; 0 when none waits
   */
  watch(items: number): void
  stop(): void
}

/**
 * Notices when the worker of a page stops answering.
 *
 * @param current - the worker to ping, if there is one
 * @param lose - called with a worker that stopped answering
 */
export function createWorkerHeartbeat(
  current: () => WorkerConnection | undefined,
  lose: (silent: WorkerConnection) => void,
): WorkerHeartbeat {
  let timer: ReturnType<typeof setInterval> | undefined
  let pinged: WorkerConnection | undefined
  let unanswered = 0
  let tickedAt = 0
  let wasLate = false
  let waiting = 0
  /** Of the calls that the worker has had since it answered last, so that later ones don't make it seem alive. */
  let carried = 0

  function tick(): void {
    const connection = current()
    if (connection === undefined) return
    const now = performance.now()
    const isLate = now - tickedAt > pingMs * 2
    tickedAt = now
    // The page itself was frozen, busy or asleep, so answers may be waiting for it. If timers are only slow, the next
    // one is late as well. A worker that was replaced leaves its unanswered pings behind.
    if ((isLate && !wasLate) || pinged !== connection) unanswered = 0
    wasLate = isLate
    pinged = connection
    if (unanswered > patience + carried / itemsPerPing) return lose(connection)
    unanswered++
    connection.ping()
  }
  const start = (): void => void (timer ??= setInterval(tick, pingMs))
  function stop(): void {
    clearInterval(timer)
    timer = undefined
    unanswered = 0
  }

  return {
    watch: (items) => {
      waiting = items
      if (unanswered === 0) carried = items
      if (items > 0) start()
      else stop()
    },
    onPong: () => {
      unanswered = 0
      carried = waiting
      if (waiting === 0) stop()
    },
    // An uncaught error need not have killed it: it gets one ping to show that it is alive.
    onTrouble: () => {
      start()
      tick()
      unanswered = beyondPatience
    },
    stop,
  }
}
