import { namesOf } from '../../domain/names-of.ts'
import { drawId } from '../session/draw-id.ts'

/** A Web Lock that a store of this page holds while it is open. */
export interface PageLock {
  /** Also drawn without locks (plain HTTP, old browsers, Node 20), because it distinguishes this page from others. */
  readonly name: string
  release(): void
}

/** Takes a lock with a unique name, which shows others that the replies streamed here are not abandoned. */
export function holdPageLock(store: string): PageLock {
  const name = `${namesOf(store)}:page:${drawId()}`
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  locksHere()
    ?.request(name, () => held)
    .catch(() => undefined)
  return { name, release }
}

/**
 * Calls back when the holder of a lock is gone. Returns a function that stops waiting.
 *
 * @param mode - `shared` if several wait for the same lock
 */
export function onLockFree(name: string | undefined, act: () => void, mode: LockMode = 'exclusive'): () => void {
  const locks = locksHere()
  if (name === undefined || locks === undefined) return () => undefined
  const ending = new AbortController()
  locks
    .request(name, { mode, signal: ending.signal }, () => void (ending.signal.aborted || act()))
    .catch(() => undefined)
  return () => ending.abort()
}

/**
 * Calls back when a worker or page that holds a lock is gone. Returns a function that stops waiting.
 *
 * It never calls back if the lock doesn't seem to be held: after the site's data was cleared, Chromium gives new
 * workers other locks than the page that starts them, so all their locks would seem free. Then only its silence shows
 * that a worker is gone.
 */
export function onWorkerGone(name: string | undefined, act: () => void): () => void {
  let stop: (() => void) | undefined = () => undefined
  locksHere()
    ?.query()
    .then(
      ({ held }) => {
        if (stop !== undefined && held?.some((lock) => lock.name === name)) stop = onLockFree(name, act)
      },
      () => undefined,
    )
  return () => {
    stop?.()
    stop = undefined
  }
}

/** The locks of this realm. Declared by the types, yet absent outside of secure contexts. */
export const locksHere = (): LockManager | undefined => (globalThis.navigator as Navigator | undefined)?.locks
