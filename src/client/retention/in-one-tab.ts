import { locksHere } from '../worker/page-lock.ts'

/** What runs in this realm: all that there is to go by without Web Locks. */
const running = new Set<string>()

/** Does work that is to be done once, unless another tab is at it. @returns `undefined` when one is */
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
    // Some pages have locks that they may not use.
    if (isRunning) throw error
    return await run()
  } finally {
    running.delete(lock)
  }
}
