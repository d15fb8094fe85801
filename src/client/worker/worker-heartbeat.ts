import type { WorkerConnection, WorkerEvents } from './connect-worker.ts'

const pingMs = 1000
/**
 * Unanswered pings after which a worker counts as dead or hung: more than the longest legitimate work between two
 * answers takes. With locks, its death is noticed at once.
 */
const patience = 5
/**
 * A worker that was given long lists can't answer until it has read them, checked them and laid them out, all at once.
 * It gets another ping for each so many items, several times what that takes on a slow device: given up too early, it
 * would be at work for nothing, and the next one would be given up as well.
 */
const itemsPerPing = 1000

export interface WorkerHeartbeat extends Pick<WorkerEvents, 'onPong' | 'onTrouble'> {
  /**
   * Pings while calls wait for answers.
   *
   * @param items - how many items the lists have that these calls carry
   */
  watch(waiting: boolean, items: number): void
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
  let isWaiting = false
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
    if (unanswered >= patience + Math.floor(carried / itemsPerPing)) return lose(connection)
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
    watch: (waiting, items) => {
      isWaiting = waiting
      carried = items
      if (waiting) start()
      else stop()
    },
    onPong: () => {
      unanswered = 0
      if (!isWaiting) stop()
    },
    // An uncaught error need not have killed it: it gets one ping to show that it is alive.
    onTrouble: () => {
      start()
      tick()
      unanswered = Number.POSITIVE_INFINITY
    },
    stop,
  }
}
