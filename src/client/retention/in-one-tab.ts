import { locksHere } from '../worker/page-lock.ts'

/** The work that is running in this realm; without Web Locks, other realms are unknown. */
const running = new Set<string>()

/** Does work unless another tab is doing it. @returns `undefined` when one is */
export async function inOneTab<T>(lock: string, work: () => Promise<T>): Promise<T | undefined> {
  if (running.has(lock)) return undefined
  running.add(lock)
  let isRunning = false
  const run = (): Promise<T> => {
    isRunning = true
    return work()
  }
  try {
    const locks = locksHere()
    if (locks !== undefined)
      return await locks.request(lock, { ifAvailable: true }, async (granted) => (granted === null ? undefined : run()))
    return await run()
  } catch (error) {
    // Some pages have locks but are not allowed to use them.
    if (isRunning) throw error
    return await run()
  } finally {
    running.delete(lock)
  }
}
