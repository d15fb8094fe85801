import { locksHere } from './page-lock.ts'

/**
 * Whether a lock of this name is held by whom it stands for; `undefined` where nobody can tell. Who waits for its end
 * shares it for a moment.
 */
export async function isLockHeld(name: string): Promise<boolean | undefined> {
  const locks = locksHere()
  if (locks === undefined) return undefined
  const { held = [] } = await locks.query()
  return held.some((lock) => lock.name === name && lock.mode === 'exclusive')
}
