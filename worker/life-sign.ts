/** A Web Lock that is held until it is dropped, or its holder dies. */
export interface LifeSign {
  /** Name of the lock; absent where there are none (plain HTTP, old browsers, Node 20). */
  readonly lock?: string
  drop(): void
}

/**
 * Takes a lock with a name that nobody else uses. A request for the same lock succeeds the moment this worker is gone.
 */
export async function holdLifeSign(lock: string): Promise<LifeSign> {
  const locks = locksHere()
  if (locks === undefined) return { drop: () => undefined }
  return new Promise((resolve) => {
    const held = locks.request(lock, () => new Promise<void>((drop) => resolve({ lock, drop: () => drop() })))
    // Some browsers have locks, but refuse them to opaque origins.
    held.catch(() => resolve({ drop: () => undefined }))
  })
}

/**
 * Does work while nobody else holds the lock; at once where there are no locks, or they are refused. @throws AbortError when the signal
 * fires while it waits
 */
export async function holdLock<T>(lock: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  let hasBegun = false
  const begin = (): Promise<T> => {
    hasBegun = true
    return work()
  }
  try {
    return await (locksHere()?.request(lock, signal === undefined ? {} : { signal }, begin) ?? begin())
  } catch (error) {
    if (hasBegun || signal?.aborted) throw error
    return work()
  }
}

/**
 * Whether the lock is held exclusively; `undefined` if that is unknown. A waiter for its end shares it for a moment.
 */
export async function isLockHeld(name: string): Promise<boolean | undefined> {
  return (await heldHere())?.some((lock) => lock.name === name && lock.mode === 'exclusive')
}

/** The names of all exclusively held locks that begin so. */
export async function heldLocks(prefix: string): Promise<readonly string[]> {
  return ((await heldHere()) ?? []).flatMap(({ name = '', mode }) =>
    mode === 'exclusive' && name.startsWith(prefix) ? name : [],
  )
}

/** The locks that are held; `undefined` where there are none, or they are refused. */
async function heldHere(): Promise<readonly LockInfo[] | undefined> {
  const state = await locksHere()
    ?.query()
    .catch(() => undefined)
  return state && (state.held ?? [])
}

/** Calls back once nobody holds a lock exclusively. @returns a function that stops waiting */
export function onLockGone(name: string, act: () => void): () => void {
  const ending = new AbortController()
  locksHere()
    ?.request(name, { mode: 'shared', signal: ending.signal }, act)
    .catch(() => undefined)
  return () => ending.abort()
}

/** The types declare it, but it is absent outside of secure contexts. */
const locksHere = (): LockManager | undefined =>
  (globalThis as { readonly navigator?: { readonly locks?: LockManager } }).navigator?.locks
