import { locksHere } from './page-lock.ts'

/** The last task of each name in this realm. */
const queues = new Map<string, Promise<unknown>>()

/**
 * Runs a task exclusively under a name: across all tabs if there are Web Locks, otherwise within this tab. @throws the
 * signal's reason when it fires while the task waits
 */
export async function runExclusively<T>(name: string, act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const locks = locksHere()
  let isRunning = false
  const run = async (): Promise<T> => {
    signal?.throwIfAborted()
    isRunning = true
    return act()
  }
  try {
    if (locks !== undefined) return await locks.request(name, signal === undefined ? {} : { signal }, run)
  } catch (error) {
    // Some pages have Web Locks but may not use them.
    if (isRunning || signal?.aborted) throw error
  }
  const own = (queues.get(name) ?? Promise.resolve()).then(run, run)
  queues.set(name, own)
  try {
    return await own
  } finally {
    if (queues.get(name) === own) queues.delete(name)
  }
}
