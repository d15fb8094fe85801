/**
 * A task that runs at once when requested, or later if it ran a moment ago. Requests in the meantime lead to one more
 * run.
 */
export interface ThrottledTask {
  ask(): void
  /** The same work was done elsewhere. */
  done(): void
  stop(): void
}

/** @param task - never rejects */
export function throttleTask(everyMs: number, now: () => number, task: () => Promise<void>): ThrottledTask {
  let timer: ReturnType<typeof setTimeout> | undefined
  let ranAt = Number.NEGATIVE_INFINITY
  let isRunning = false
  let isAsked = false
  let isStopped = false

  const look = (): void => {
    timer = undefined
    if (isStopped || isRunning || !isAsked) return
    const since = now() - ranAt
    // A clock that was set back must not stop the task.
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
