/** Work that is done once for many calls. */
export interface Delay {
  /** Does the work soon, if it is not waiting already. */
  start(): void
  stop(): void
}

/** Gathers calls for so many milliseconds, or for as many as there are to be then. Nothing is left waiting once the signal has aborted. */
export function createDelay(ms: number | (() => number), signal: AbortSignal, work: () => void): Delay {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  signal.addEventListener('abort', stop)
  return {
    start() {
      if (signal.aborted) return
      timer ??= setTimeout(
        () => {
          timer = undefined
          work()
        },
        typeof ms === 'number' ? ms : ms(),
      )
    },
    stop,
  }
}
