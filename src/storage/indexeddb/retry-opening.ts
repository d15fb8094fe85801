/** Pauses before the attempts to open a database again, each counted from the attempt before. */
const pausesMs = [0, 100, 300]

/** After the last failed attempt the database is left alone for this long, and calls fail at once. */
const restMs = 1000

export interface RetryRules {
  /** Whether another attempt may succeed. */
  readonly mayPass: (error: unknown) => boolean
  /** Called when all attempts have failed. */
  readonly onGiveUp: (error: Error) => void
}

/** Tries an opening a few times: a short loss is over by then, and a lasting one must not keep every call waiting. */
export function retryOpening<T>(open: () => Promise<T>, { mayPass, onGiveUp }: RetryRules): () => Promise<T> {
  let failure: unknown
  let restsUntil = 0
  return async () => {
    if (performance.now() < restsUntil) throw failure
    for (const pauseMs of pausesMs) {
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
      try {
        return await open()
      } catch (error) {
        if (!mayPass(error)) throw error
        failure = error
      }
    }
    restsUntil = performance.now() + restMs
    onGiveUp(failure as Error)
    throw failure
  }
}
