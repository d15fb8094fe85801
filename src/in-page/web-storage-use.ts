import { locksHere } from '../client/worker/page-lock.ts'

const lockName = (name: string): string => `keepsession:${name}:web-storage-in-use`

/**
 * Says that this page works on the sessions in Web Storage, until the signal fires: then nobody moves them away under it. Resolves when
 * nobody does, at once where there are no locks.
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
    // Refused in opaque origins: as if there were none.
    locks.request(lockName(name), { mode: 'shared' }, hold).catch(() => resolve())
  })
}

/** Does work while no page works on the sessions in Web Storage. @returns whether it was done */
export async function whileUnused(name: string, work: () => Promise<void>): Promise<boolean> {
  const act = async (lock?: Lock | null): Promise<boolean> => {
    if (lock === null) return false
    await work()
    return true
  }
  return (await locksHere()?.request(lockName(name), { ifAvailable: true }, act)) ?? act()
}
