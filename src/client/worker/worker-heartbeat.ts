import type { WorkerConnection } from './connect-worker.ts'

const pingMs = 1000
/**
 * Pings without an answer after which a worker counts as dead or hung: more than the longest honest work between two
 * answers takes. Its death is known at once where there are locks.
 */
const patience = 5

/** Functions of a heartbeat, in a tuple because minified code keeps the names of properties. */
export type WorkerHeartbeat = readonly [
  /** Pings while calls wait for answers. */
  watch: (waiting: boolean) => void,
  /** To be called when the worker answers a ping. */
  onPong: () => void,
  /** To be called when it reports an uncaught error, which may have killed it: it has one ping to show that it lives. */
  onTrouble: () => void,
  stop: () => void,
]

/**
 * Checks that the worker of a page is alive.
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
    // The page itself stood still (frozen, busy, asleep): answers may be waiting for it. Where timers are only slow,
    // they are late again. A worker that was replaced leaves its unanswered pings behind.
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

  return [
    (waiting) => {
      isWaiting = waiting
      if (waiting) start()
      else stop()
    },
    () => {
      unanswered = 0
      if (!isWaiting) stop()
    },
    () => {
      start()
      tick()
      unanswered = patience
    },
    stop,
  ]
}
