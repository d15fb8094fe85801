/** A Web Lock that is held until it is dropped, or its holder dies. */
export interface LifeSign {
  /** Name of the lock; absent where there are none (plain HTTP, old browsers, Node 20). */
  readonly lock?: string
  drop(): void
}

/** Takes a lock of a name that nobody else uses. Who asks for the same lock gets it the moment this worker is gone. */
export async function holdLifeSign(lock: string): Promise<LifeSign> {
  const locks = locksHere()
  if (locks === undefined) return { drop: () => undefined }
  return new Promise((resolve) => {
    const held = locks.request(lock, () => new Promise<void>((drop) => resolve({ lock, drop: () => drop() })))
    // Some browsers have locks, and refuse them to opaque origins.
    held.catch(() => resolve({ drop: () => undefined }))
  })
}

/** Does something while nobody else does the same; where there are no locks, at once. @throws AbortError when the signal comes while it waits */
export async function holdLock<T>(lock: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const locks = locksHere()
  return locks === undefined ? work() : locks.request(lock, signal === undefined ? {} : { signal }, work)
}

/** Whether somebody holds a lock of this name. Where nobody can tell, everybody counts as alive. */
export async function isLockHeld(name: string): Promise<boolean> {
  const { held = [] } = (await locksHere()?.query()) ?? {}
  return locksHere() === undefined || held.some((lock) => lock.name === name)
}

/** Declared by the types, yet absent outside of secure contexts. */
const locksHere = (): LockManager | undefined => (globalThis as { readonly navigator?: { readonly locks?: LockManager } }).navigator?.locks
