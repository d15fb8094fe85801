import { locksHere } from '../../../client/worker/page-lock.ts'

/** Who waits for whom in this realm. */
const queues = new Map<string, Promise<unknown>>()

/**
 * Does something while nobody else does it under this name: in no tab where there are Web Locks, otherwise not in this
 * one.
 */
export async function runExclusively<T>(name: string, act: () => Promise<T>): Promise<T> {
  const locks = locksHere()
  let isRunning = false
  const run = (): Promise<T> => {
    isRunning = true
    return act()
  }
  try {
    if (locks !== undefined) return await locks.request(name, run)
  } catch (error) {
    // Some pages have locks that they may not use.
    if (isRunning) throw error
  }
  const own = (queues.get(name) ?? Promise.resolve()).then(run, run)
  queues.set(name, own)
  try {
    return await own
  } finally {
    if (queues.get(name) === own) queues.delete(name)
  }
}
