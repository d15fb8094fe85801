import { locksHere } from './page-lock.ts'

/** Whether somebody holds a lock of this name. Where nobody can tell, everybody counts as alive. */
export async function isLockHeld(name: string): Promise<boolean> {
  const locks = locksHere()
  if (locks === undefined) return true
  const { held = [] } = await locks.query()
  return held.some((lock) => lock.name === name)
}
