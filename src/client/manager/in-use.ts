import { locksHere } from '../page-lock.ts'

/**
 * Marks a session as in use, in all tabs where there are Web Locks. Waits for who is just about to erase it.
 *
 * @returns what ends it
 */
export async function holdInUse(name: string): Promise<() => void> {
  const locks = locksHere()
  if (locks === undefined) return () => undefined
  return new Promise((resolve) => {
    const request = locks.request(name, { mode: 'shared' }, () => new Promise<void>((release) => resolve(release)))
    // Some pages have locks that they may not use.
    request.catch(() => resolve(() => undefined))
  })
}

/** Does something to a session that nobody uses, and keeps those waiting who want to. @returns whether it was done */
export async function unlessInUse(name: string, act: () => Promise<unknown>): Promise<boolean> {
  const locks = locksHere()
  let isRunning = false
  const run = async (): Promise<boolean> => {
    isRunning = true
    await act()
    return true
  }
  try {
    if (locks !== undefined) return await locks.request(name, { ifAvailable: true }, (lock) => (lock === null ? false : run()))
  } catch (error) {
    if (isRunning) throw error
  }
  return run()
}
