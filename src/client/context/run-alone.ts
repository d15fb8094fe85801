import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store.ts'
import { locksHere } from '../page-lock.ts'
import { unlessAborted } from '../unless-aborted.ts'

/** Who waits for whom where there are no locks. Goes with the store. */
const queues = new WeakMap<SessionStore, Map<string, Promise<void>>>()

export interface AlonePlace {
  readonly store: SessionStore
  readonly key: string
  /** Name of the database. Absent: only calls on the same store are kept apart. */
  readonly name?: string | undefined
}

/**
 * Does something while nobody else does it for this session: in no tab where there are Web Locks, otherwise not in this one. A lock of a
 * tab that is closed or reloaded is free again.
 *
 * @throws Aborted when the signal fires while it waits
 */
export async function runAlone<T>({ store, key, name }: AlonePlace, signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
  const locks = name === undefined ? undefined : locksHere()
  if (locks === undefined) return runInTurn(store, key, signal, act)
  let isRunning = false
  const run = (): Promise<T> => {
    isRunning = true
    return act()
  }
  try {
    return await locks.request(`keepsession:${name}:compact:${key}`, signal === undefined ? {} : { signal }, run)
  } catch (error) {
    if (isRunning) throw error
    if (signal?.aborted === true) throw new SessionError('Aborted', 'Waiting for another compaction of this session was ended by its signal.', { cause: signal.reason })
    // Some pages have locks that they may not use.
    return runInTurn(store, key, signal, act)
  }
}

async function runInTurn<T>(store: SessionStore, key: string, signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
  const queue = queues.get(store) ?? new Map<string, Promise<void>>()
  queues.set(store, queue)
  const before = queue.get(key) ?? Promise.resolve()
  let release: () => void = () => undefined
  const done = new Promise<void>((resolve) => (release = resolve))
  const own = before.then(() => done)
  queue.set(key, own)
  // Who gives up waiting is not the end of the queue: who comes next still waits for those before.
  void own.then(() => {
    if (queue.get(key) === own) queue.delete(key)
  })
  try {
    await unlessAborted(before, signal, 'Waiting for another compaction of this session')
    return await act()
  } finally {
    release()
  }
}
