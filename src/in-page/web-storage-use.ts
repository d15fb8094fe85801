import { locksHere } from '../client/worker/page-lock.ts'
import { namesOf } from '../domain/names-of.ts'

const lockName = (name: string): string => `${namesOf(name)}:web-storage-in-use`

/**
 * Announces that this page uses the sessions in Web Storage, until the signal fires. Meanwhile nobody moves them away.
 * Resolves when nobody moves them; at once where there are no locks.
 */
export async function announceUse(name: string, ending: AbortSignal): Promise<void> {
  const locks = locksHere()
  if (locks === undefined) return
  await new Promise<void>((resolve) => {
    const held = new Promise<void>((release) => ending.addEventListener('abort', () => release()))
    const hold = (): Promise<void> => {
      resolve()
      return ending.aborted ? Promise.resolve() : held
    }
    // Opaque origins refuse locks, as if there were none.
    locks.request(lockName(name), { mode: 'shared' }, hold).catch(() => resolve())
  })
}

/** Does work while no page uses the sessions in Web Storage. @returns whether it was done */
export async function whileUnused(name: string, work: () => Promise<void>): Promise<boolean> {
  let hasBegun = false
  const act = async (lock?: Lock | null): Promise<boolean> => {
    if (lock === null) return false
    hasBegun = true
    await work()
    return true
  }
  try {
    return (await locksHere()?.request(lockName(name), { ifAvailable: true }, act)) ?? (await act())
  } catch (error) {
    if (hasBegun) throw error
    return act()
  }
}
