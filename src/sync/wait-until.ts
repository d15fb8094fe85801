export interface WaitOptions {
  /** Subscribes a listener that is called at each change; returns how to stop. */
  readonly subscribe: (listener: () => void) => () => void
  /** Why it cannot happen, if it cannot. */
  readonly obstacle: () => Error | undefined
  readonly signal: AbortSignal | undefined
}

/** Waits until a condition is met, or cannot be met any more. */
export function waitUntil(isSo: () => boolean, { subscribe, obstacle, signal }: WaitOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let stop: (() => void) | undefined
    const look = (): void => {
      const error = obstacle()
      if (error === undefined && !isSo()) return
      stop?.()
      signal?.removeEventListener('abort', look)
      if (error === undefined) resolve()
      else reject(error)
    }
    stop = subscribe(look)
    signal?.addEventListener('abort', look)
    look()
  })
}
