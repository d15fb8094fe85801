import { namesOf } from '../../domain/names-of.ts'
import { locksHere } from '../worker/page-lock.ts'

/** One use of a session. While a session is used in any tab, no retention run erases it. */
export interface SessionUse {
  /** Resolves as soon as nobody is erasing the session. */
  readonly ready: Promise<void>
  /** May be called more than once. */
  end(): void
}

interface SharedUse {
  count: number
  readonly ready: Promise<void>
  release(): void
}

/** Uses and erasures in this realm, by lock; without Web Locks, other realms are unknown. */
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
    // Some pages have locks but are not allowed to use them.
    if (request === undefined) isFree()
    else request.catch(isFree)
  })
  const use = { count: 0, ready, release }
  uses.set(lock, use)
  return use
}

/**
 * Does something to a session that nobody uses, while new uses wait. Does nothing if the session is in use.
 *
 * @param names - all that it is opened by: who opened a name before it was an alias of the session uses it by that name
 */
export async function unlessInUse(
  database: string,
  [name, ...others]: readonly string[],
  act: () => Promise<unknown>,
): Promise<void> {
  if (name === undefined) await act()
  else await unlessHeld(lockOf(database, name), () => unlessInUse(database, others, act))
}

async function unlessHeld(lock: string, act: () => Promise<unknown>): Promise<void> {
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

const lockOf = (database: string, key: string): string => `${namesOf(database)}:in-use:${key}`
