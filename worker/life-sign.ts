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

/** Whether a lock of this name is held by whom it stands for; `undefined` where nobody can tell. Who waits for its end shares it for a moment. */
export async function isLockHeld(name: string): Promise<boolean | undefined> {
  const locks = locksHere()
  if (locks === undefined) return undefined
  const { held = [] } = await locks.query()
  return held.some((lock) => lock.name === name && lock.mode === 'exclusive')
}

/** Calls back once nobody holds a lock for itself. Returns how to stop waiting. */
export function onLockGone(name: string, act: () => void): () => void {
  const ending = new AbortController()
  locksHere()?.request(name, { mode: 'shared', signal: ending.signal }, act).catch(() => undefined)
  return () => ending.abort()
}

/** Declared by the types, yet absent outside of secure contexts. */
const locksHere = (): LockManager | undefined => (globalThis as { readonly navigator?: { readonly locks?: LockManager } }).navigator?.locks
