import { locksHere } from '../worker/page-lock.ts'

/** One use of a session: while there is any, in whatever tab, no sweep erases it. */
export interface SessionUse {
  /** Resolves once nobody is erasing it any more. */
  readonly ready: Promise<void>
  /** Once is enough. */
  end(): void
}

interface SharedUse {
  count: number
  readonly ready: Promise<void>
  release(): void
}

/** Uses in this realm, and what is being erased in it, by lock: all that there is to go by without Web Locks. */
const uses = new Map<string, SharedUse>()
const erasing = new Map<string, Promise<unknown>>()

/** Marks a session as in use: one shared Web Lock for all its uses in this realm. */
export function holdInUse(database: string, key: string): SessionUse {
  const lock = lockOf(database, key)
  const use = uses.get(lock) ?? beginUse(lock)
  use.count++
  let isOver = false
  return {
    ready: use.ready,
    end: () => {
      if (isOver) return
      isOver = true
      if (--use.count > 0) return
      uses.delete(lock)
      use.release()
    },
  }
}

function beginUse(lock: string): SharedUse {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const ready = new Promise<void>((resolve) => {
    const isFree = (): void =>
      void (erasing.get(lock) ?? Promise.resolve()).then(
        () => resolve(),
        () => resolve(),
      )
    const request = locksHere()?.request(lock, { mode: 'shared' }, () => {
      resolve()
      return held
    })
    // Some pages have locks that they may not use.
    if (request === undefined) isFree()
    else request.catch(isFree)
  })
  const use = { count: 0, ready, release }
  uses.set(lock, use)
  return use
}

/**
 * Does something to a session that nobody uses, and keeps those waiting who want to. Where it is in use nothing is
 * done.
 */
export async function unlessInUse(database: string, key: string, act: () => Promise<unknown>): Promise<void> {
  const lock = lockOf(database, key)
  let isRunning = false
  const run = async (): Promise<void> => {
    if (uses.has(lock) || erasing.has(lock)) return
    isRunning = true
    const acting = act()
    erasing.set(lock, acting)
    try {
      await acting
    } finally {
      erasing.delete(lock)
    }
  }
  try {
    const locks = locksHere()
    if (locks !== undefined)
      return await locks.request(lock, { ifAvailable: true }, (granted) => (granted === null ? undefined : run()))
  } catch (error) {
    if (isRunning) throw error
  }
  return run()
}

const lockOf = (database: string, key: string): string => `keepsession:${database}:in-use:${key}`
