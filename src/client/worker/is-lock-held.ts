import { locksHere } from './page-lock.ts'

/**
 * Whether the owner of this lock holds it; `undefined` if that is unknown. A waiter for its end shares the lock for a
 * moment, which does not count.
 */
export async function isLockHeld(name: string): Promise<boolean | undefined> {
  const locks = locksHere()
  if (locks === undefined) return undefined
  const { held = [] } = await locks.query()
  return held.some((lock) => lock.name === name && lock.mode === 'exclusive')
}
