import type { SessionStore } from '../../contract/store/session-store.ts'
import { unlessAborted } from '../upkeep/unless-aborted.ts'

/**
 * Does work on a session after the previous work is done, even if that failed.
 *
 * @throws Aborted when the signal fires while it waits
 */
export type SessionQueue = <Result>(
  place: { readonly store: SessionStore; readonly key: string },
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
) => Promise<Result>

/**
 * Creates queues, one for each session of each store.
 *
 * @param what - names the work that a signal cancels while it waits, as the subject of a sentence
 */
export function createSessionQueue(what: string): SessionQueue {
  const queues = new WeakMap<SessionStore, Map<string, Promise<unknown>>>()
  return async ({ store, key }, signal, work) => {
    const queue = queues.get(store) ?? new Map<string, Promise<unknown>>()
    queues.set(store, queue)
    const before = queue.get(key) ?? Promise.resolve()
    const result = unlessAborted(before, signal, what).then(work)
    // A cancelled call must not let the next one start early.
    const last = Promise.allSettled([before, result]).then(() => {
      if (queue.get(key) === last) queue.delete(key)
    })
    queue.set(key, last)
    return result
  }
}
