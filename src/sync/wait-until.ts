export interface Waited {
  /** Hands over a listener that is called at each change; returns how to stop. */
  readonly subscribe: (listener: () => void) => () => void
  /** Why it can't come to be, if it can't. */
  readonly obstacle: () => Error | undefined
  readonly signal: AbortSignal | undefined
}

/** Until something is so, or can't come to be. */
export function waitUntil(isSo: () => boolean, { subscribe, obstacle, signal }: Waited): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const error = obstacle()
      if (error === undefined && !isSo()) return
      stop()
      signal?.removeEventListener('abort', look)
      if (error === undefined) resolve()
      else reject(error)
    }
    const stop = subscribe(look)
    signal?.addEventListener('abort', look)
    look()
  })
}
