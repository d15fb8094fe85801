import type { ChangeSink } from '../contract/change.ts'

/** Where a client hears of changes, its own and those of other tabs. */
export interface ChangeFeed {
  subscribe(listener: ChangeSink): () => void
  /** Tells everybody in this page. */
  readonly emit: ChangeSink
  /** Fires when the feed is closed. */
  readonly ending: AbortSignal
  close(): void
}

export function createChangeFeed(): ChangeFeed {
  const listeners = new Set<ChangeSink>()
  const ending = new AbortController()
  return {
    subscribe: (listener) => {
      // A listener of its own for each subscription, so that one function can subscribe twice.
      const own: ChangeSink = (change) => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    emit: (change) => {
      for (const listener of [...listeners]) {
        try {
          listener(change)
        } catch (error) {
          // One listener's mistake is its own: it is reported, and the others still hear.
          setTimeout(() => {
            throw error
          })
        }
      }
    },
    ending: ending.signal,
    close: () => {
      ending.abort()
      listeners.clear()
    },
  }
}
