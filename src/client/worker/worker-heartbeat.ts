import type { WorkerConnection, WorkerEvents } from './connect-worker.ts'

const pingMs = 1000
/**
 * Unanswered pings after which a worker counts as dead or hung: more than the longest legitimate work between two
 * answers takes. With locks, its death is noticed at once.
 */
const patience = 5

export interface WorkerHeartbeat extends Pick<WorkerEvents, 'onPong' | 'onTrouble'> {
  /** Pings while calls wait for answers. */
  watch(waiting: boolean): void
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
    if (unanswered >= patience) return lose(connection)
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
    watch: (waiting) => {
      isWaiting = waiting
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
      unanswered = patience
    },
    stop,
  }
}
