import type { ChangeSink, StoreChange } from '../contract/change.ts'
import { createListeners } from './listeners.ts'

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
  const listeners = createListeners<StoreChange>()
  const ending = new AbortController()
  return {
    subscribe: listeners.add,
    emit: listeners.tell,
    ending: ending.signal,
    close: () => {
      ending.abort()
      listeners.clear()
    },
  }
}
