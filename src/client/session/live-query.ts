import { SessionError } from '../../contract/errors.ts'
import type { LiveQuery } from '../live-value.ts'
import { createChangeFeed } from './change-feed.ts'

/** What keeps a {@link LiveQuery} current. */
export interface LiveSource<T> {
  /**
   * Sets the newest value. The same object again is no change.
   *
   * @param failure - why the value could not be read again, if it could not
   */
  publish(value: T, failure?: unknown): void
  /** Reports that the value can't be read now; the one before stays. Rejects `ready` if there has never been one. */
  fail(error: unknown): void
}

/**
 * Creates a live query.
 *
 * @param ending - closes the query when it aborts
 * @param start - starts publishing; returns a function that stops it
 */
export function createLiveQuery<T>(ending: AbortSignal, start: (source: LiveSource<T>) => () => void): LiveQuery<T> {
  const news = createChangeFeed<void>()
  let snapshot: T | undefined
  let error: Error | undefined
  let isEnded = false
  let first: { resolve(value: T): void; reject(error: unknown): void } | undefined
  const ready = new Promise<T>((resolve, reject) => (first = { resolve, reject }))
  // An app that never calls `ready` must not get an unhandled rejection.
  ready.catch(() => undefined)

  const stop = start({
    publish: (value, failure) => {
      if (isEnded || (value === snapshot && error === failure)) return
      snapshot = value
      error = failure as Error | undefined
      first?.resolve(value)
      news.emit()
    },
    fail: (reason) => {
      if (isEnded) return
      error = reason as Error
      first?.reject(reason)
      news.emit()
    },
  })

  const end = (): void => {
    if (isEnded) return
    isEnded = true
    // Otherwise closed queries, with the values they showed, would stay in memory until the client is closed.
    ending.removeEventListener('abort', end)
    stop()
    first?.reject(new SessionError('StorageClosed', 'The query ended before there was a value.'))
    news.emit()
    news.close()
  }
  ending.addEventListener('abort', end)
  if (ending.aborted) end()

  return {
    subscribe: news.subscribe,
    getSnapshot: () => snapshot,
    getError: () => error,
    ready: async () => snapshot ?? ready,
    async *[Symbol.asyncIterator]() {
      let seen: T | undefined
      let wake: () => void = () => undefined
      const leave = news.subscribe(() => wake())
      try {
        while (!isEnded) {
          if (snapshot !== undefined && snapshot !== seen) yield (seen = snapshot)
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        leave()
      }
    },
    close: end,
    [Symbol.dispose]: end,
  }
}
