import { locksHere } from './page-lock.ts'

/**
 * Whether the owner of this lock holds it; `undefined` if that is unknown. A waiter for its end shares the lock for a
 * moment, which does not count.
 */
export async function isLockHeld(name: string): Promise<boolean | undefined> {
  // Some pages have locks but are not allowed to use them.
  const state = await locksHere()
    ?.query()
    .catch(() => undefined)
  return state && (state.held ?? []).some((lock) => lock.name === name && lock.mode === 'exclusive')
}
