/** Notices when a worker did not run for a while, so that it may have missed what other tabs announced. */
export interface WakeWatch {
  /** Whether the worker ran all the time since the last second. The first call begins to watch. */
  isAwake(): boolean
  close(): void
}

/** The time between two ticks, and how late a tick may be. */
const tickMs = 500
const lateMs = 1000
/** The watch ends this long after the last question. */
const idleMs = 60_000

export function createWakeWatch(now: () => number): WakeWatch {
  let timer: ReturnType<typeof setInterval> | undefined
  let tickedAt = 0
  let askedAt = 0

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  function tick(): void {
    // A worker that slept must be found out by the next question, even if its clock ticks first.
    if (isLate() || now() - askedAt > idleMs) return stop()
    tickedAt = now()
  }

  const isLate = (): boolean => Math.abs(now() - tickedAt) > lateMs

  return {
    isAwake: () => {
      askedAt = now()
      if (timer !== undefined && !isLate()) return true
      stop()
      tickedAt = now()
      timer = setInterval(tick, tickMs)
      return false
    },
    close: stop,
  }
}
