export interface RetryScheduleOptions {
  /**
   * Wait before the first retry in milliseconds; each wait is four times as long as the one before, up to `longestMs`.
   */
  readonly firstMs: number
  readonly longestMs: number
  readonly onTime: () => void
}

/** When to retry what failed while the connection lasts. */
export interface RetrySchedule {
  /** Retries after the next wait, which starts now. */
  plan(): void
  /** The first wait is the next one again. */
  reset(): void
  /** The connection is gone: nothing is retried until `resume`. */
  pause(): void
  resume(): void
  close(): void
}

export function createRetrySchedule({ firstMs, longestMs, onTime }: RetryScheduleOptions): RetrySchedule {
  let retries = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isPaused = false
  return {
    plan: () => {
      if (isPaused) return
      clearTimeout(timer)
      timer = setTimeout(
        () => {
          retries += 1
          onTime()
        },
        Math.min(firstMs * 4 ** retries, longestMs),
      )
    },
    reset: () => {
      retries = 0
    },
    pause: () => {
      isPaused = true
      clearTimeout(timer)
    },
    resume: () => {
      isPaused = false
      retries = 0
    },
    close: () => clearTimeout(timer),
  }
}
