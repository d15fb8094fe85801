import type { StoreChange } from '../../contract/change.ts'

/** Delivers changes to subscribers: of a store, from this tab and the others, or of anything else. */
export interface ChangeFeed<Change = StoreChange> {
  subscribe(listener: (change: Change) => void): () => void
  /** Calls all subscribers in this page. */
  readonly emit: (change: Change) => void
  /** Fires when the feed is closed. */
  readonly ending: AbortSignal
  close(): void
}

export function createChangeFeed<Change = StoreChange>(): ChangeFeed<Change> {
  const listeners = new Set<(change: Change) => void>()
  const ending = new AbortController()
  return {
    subscribe: (listener) => {
      // A listener of its own for each subscription, so that one function can subscribe twice.
      const own = (change: Change): void => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    emit: (change) => {
      for (const listener of [...listeners]) {
        try {
          listener(change)
        } catch (error) {
          // An error of one listener is reported, and must not affect the others.
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
