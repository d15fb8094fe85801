/** A task that is run at once when asked for, and later when it was run a moment ago; what is asked for meanwhile is one run more. */
export interface PacedTask {
  ask(): void
  /** The same was done without it. */
  done(): void
  stop(): void
}

/** @param task - never rejects */
export function atMostEach(everyMs: number, now: () => number, task: () => Promise<void>): PacedTask {
  let timer: ReturnType<typeof setTimeout> | undefined
  let ranAt = Number.NEGATIVE_INFINITY
  let isRunning = false
  let isAsked = false
  let isStopped = false

  const look = (): void => {
    timer = undefined
    if (isStopped || isRunning || !isAsked) return
    const since = now() - ranAt
    // A clock that was set back must not stop it.
    if (since >= 0 && since < everyMs) {
      timer = setTimeout(look, everyMs - since)
      return
    }
    isAsked = false
    isRunning = true
    ranAt = now()
    void task().finally(() => {
      isRunning = false
      if (timer === undefined) look()
    })
  }
  return {
    ask: () => {
      isAsked = true
      if (timer === undefined) look()
    },
    done: () => {
      ranAt = now()
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
