import type { Disposal } from '../contract/disposal.ts'

/**
 * A value that stays current. Fits React's `useSyncExternalStore` as it is; the snapshot keeps its identity until it
 * changes.
 */
export interface LiveQuery<T> extends Disposal {
  /**
   * Calls back after every change of the snapshot or the error, also for the first value. Returns a function that
   * unsubscribes.
   */
  subscribe(onChange: () => void): () => void
  /** The newest value; `undefined` until the first one has been read. */
  getSnapshot(): T | undefined
  /** Why the value could not be read again, usually a `SessionError`; `undefined` once it could. The snapshot stays. */
  getError(): Error | undefined
  /** Resolves with the first value (or the newest). Rejects when it can't be read. */
  ready(): Promise<T>
  /** Every new value, newest only: a slow reader skips values. */
  [Symbol.asyncIterator](): AsyncIterator<T>
  /** Stops following. Closing twice is fine. `using` does it at the end of its block. */
  close(): void
}
