import { SessionError } from '../../contract/errors.ts'
import type { LiveQuery } from '../live-value.ts'

/** What keeps a {@link LiveQuery} current. */
export interface LiveSource<T> {
  /** Sets the newest value. The same object again is no change. */
  publish(value: T): void
  /** Says that the value can't be read now. Ends the waiting of `ready` when there has never been one. */
  fail(error: unknown): void
}

/**
 * Makes a live query.
 *
 * @param ending - ends it
 * @param start - begins to publish; returns how to stop
 */
export function createLiveQuery<T>(ending: AbortSignal, start: (source: LiveSource<T>) => () => void): LiveQuery<T> {
  const listeners = new Set<() => void>()
  let snapshot: T | undefined
  let isEnded = false
  let first: { resolve(value: T): void; reject(error: unknown): void } | undefined
  const ready = new Promise<T>((resolve, reject) => (first = { resolve, reject }))
  // Who never asks for it is not bothered by its failure.
  ready.catch(() => undefined)

  const notify = (): void => {
    for (const listener of [...listeners]) listener()
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
    // Whoever opens and leaves many would otherwise be kept, with all that they showed, until the client is closed.
    ending.removeEventListener('abort', end)
    stop()
    first?.reject(new SessionError('StorageClosed', 'The query ended before there was a value.'))
    notify()
    listeners.clear()
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
