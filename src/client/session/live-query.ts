import { SessionError } from '../../contract/errors.ts'
import type { LiveQuery } from '../live-value.ts'

/** What keeps a {@link LiveQuery} current. */
export interface LiveSource<T> {
  /** Sets the newest value. The same object again is no change. */
  publish(value: T): void
  /** Reports that the value can't be read now. Rejects `ready` if there has never been a value. */
  fail(error: unknown): void
}

/**
 * Creates a live query.
 *
 * @param ending - closes the query when it aborts
 * @param start - starts publishing; returns a function that stops it
 */
export function createLiveQuery<T>(ending: AbortSignal, start: (source: LiveSource<T>) => () => void): LiveQuery<T> {
  const listeners = new Set<() => void>()
  let snapshot: T | undefined
  let isEnded = false
  let first: { resolve(value: T): void; reject(error: unknown): void } | undefined
  const ready = new Promise<T>((resolve, reject) => (first = { resolve, reject }))
  // An app that never calls `ready` must not get an unhandled rejection.
  ready.catch(() => undefined)

  /** Calls every listener, although one may throw. @throws what the first one threw */
  function notify(): void {
    const thrown: { readonly error: unknown }[] = []
    for (const listener of [...listeners]) {
      try {
        listener()
      } catch (error) {
        thrown.push({ error })
      }
    }
    const [first] = thrown
    if (first !== undefined) throw first.error
  }
  const stop = start({
    publish: (value) => {
      if (isEnded || value === snapshot) return
      snapshot = value
      first?.resolve(value)
      notify()
    },
    fail: (error) => first?.reject(error),
  })

  const end = (): void => {
    if (isEnded) return
    isEnded = true
    // Otherwise closed queries, with the values they showed, would stay in memory until the client is closed.
    ending.removeEventListener('abort', end)
    stop()
    first?.reject(new SessionError('StorageClosed', 'The query ended before there was a value.'))
    try {
      notify()
    } finally {
      listeners.clear()
    }
  }
  ending.addEventListener('abort', end)
  if (ending.aborted) end()

  return {
    subscribe: (onChange) => {
      const own = (): void => onChange()
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    getSnapshot: () => snapshot,
    ready: async () => snapshot ?? ready,
    async *[Symbol.asyncIterator]() {
      let seen: T | undefined
      let wake: () => void = () => undefined
      const listener = (): void => wake()
      listeners.add(listener)
      try {
        while (!isEnded) {
          if (snapshot !== undefined && snapshot !== seen) yield (seen = snapshot)
          else await new Promise<void>((resolve) => (wake = resolve))
        }
      } finally {
        listeners.delete(listener)
      }
    },
    close: end,
    [Symbol.dispose]: end,
  }
}
