/** Reads something again whenever it may have changed, one reading at a time. */
export interface Refresher {
  /** Reads again, now or after the current reading. Resolves with the current reading; never rejects. */
  refresh(): Promise<void>
  /** Reads again. Resolves when a reading is over that began after the call; never rejects. */
  readAnew(): Promise<void>
  /** The current reading, if there is one. */
  reading(): Promise<void> | undefined
  stop(): void
}

/** @param read - resolves with true when what it read is already out of date */
export function createRefresher(read: () => Promise<boolean>, fail: (error: unknown) => void): Refresher {
  let reading: Promise<void> | undefined
  /** Something happened that the current reading may have missed. */
  let isStale = false
  let isStopped = false
  function refresh(): Promise<void> {
    isStale = reading !== undefined
    reading ??= read()
      .then((isOutdated) => void (isStale ||= isOutdated), fail)
      .finally(() => {
        reading = undefined
        if (isStale && !isStopped) void refresh()
      })
    return reading
  }
  return {
    refresh,
    readAnew: async () => {
      await reading
      return reading ?? refresh()
    },
    reading: () => reading,
    stop: () => {
      isStopped = true
    },
  }
}
