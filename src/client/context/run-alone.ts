import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { namesOf } from '../../domain/names-of.ts'
import { createSessionQueue } from '../session/session-queue.ts'
import { locksHere } from '../worker/page-lock.ts'

const waiting = 'Waiting for another compaction of this session'
/** The queue for browsers without locks. */
const inOrder = createSessionQueue(waiting)

export interface AlonePlace {
  readonly store: SessionStore
  readonly key: string
  /** Name of the database. Absent: only calls on the same store exclude each other. */
  readonly name?: string | undefined
}

/**
 * Does something while nobody else does it for this session: in no other tab if there are Web Locks, otherwise not in
 * this tab. The lock of a tab that is closed or reloaded is released.
 *
 * @throws Aborted when the signal fires while it waits
 */
export async function runAlone<T>(
  { store, key, name }: AlonePlace,
  signal: AbortSignal | undefined,
  act: () => Promise<T>,
): Promise<T> {
  const locks = locksHere()
  if (locks === undefined || name === undefined) return inOrder({ store, key }, signal, act)
  let isRunning = false
  const run = (): Promise<T> => {
    isRunning = true
    return act()
  }
  try {
    return await locks.request(`${namesOf(name)}:compact:${key}`, signal === undefined ? {} : { signal }, run)
  } catch (error) {
    if (isRunning) throw error
    if (signal?.aborted === true)
      throw new SessionError('Aborted', `${waiting} was cancelled by its signal.`, { cause: signal.reason })
    // Some pages have locks but are not allowed to use them.
    return inOrder({ store, key }, signal, act)
  }
}
