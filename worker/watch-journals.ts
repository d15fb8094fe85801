import { namesOf } from '../src/domain/names-of.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import type { Announcer } from './announce-changes.ts'
import { heldLocks, holdLifeSign, onLockGone } from './life-sign.ts'

/**
 * Lets other workers of the database know that this one has a journal, and watches theirs.
 *
 * @param onGone - called when a worker is gone. It may have answered what the database does not have
 * @returns a function that ends it, once the own journal is closed
 */
export function watchJournals(
  name: string,
  meet: NonNullable<Announcer['meet']>,
  onGone: () => Promise<void>,
): () => void {
  const prefix = `${namesOf(name)}:journal:`
  const watched = new Map<string, () => void>()
  let storing = Promise.resolve()
  let end: () => void = () => undefined
  let isEnded = false

  function watch(lock: string): void {
    if (isEnded || watched.has(lock)) return
    const stop = onLockGone(lock, () => {
      watched.delete(lock)
      storing = storing.then(onGone)
    })
    watched.set(lock, stop)
  }

  async function begin(): Promise<void> {
    const own = `${prefix}${drawBoot()}`
    const { lock, drop } = await holdLifeSign(own)
    end = drop
    if (isEnded) return drop()
    if (lock === undefined) return
    // Who begins later is heard; who began earlier has its lock by now.
    const tell = meet((other) => {
      if (other.startsWith(prefix)) watch(other)
    })
    for (const other of await heldLocks(prefix)) if (other !== own) watch(other)
    tell(own)
    // What died after the opening looked, and before this one watched.
    storing = storing.then(onGone)
  }

  void begin()
  return () => {
    isEnded = true
    for (const stop of watched.values()) stop()
    end()
  }
}
