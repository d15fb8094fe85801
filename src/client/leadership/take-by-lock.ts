import type { LeaderTerm } from '../../contract/term.ts'
import type { Election, Office } from './election.ts'
import type { LeaderChannel } from './leader-channel.ts'
import { nextTerm } from './next-term.ts'
import { watchLeader } from './watch-leader.ts'

/**
 * Takes the office by its Web Lock: it comes in turn when the leader ends, whatever it dies of. From one that is frozen
 * or hangs, and keeps its lock, it is stolen. Then a term begins, by which late writes of the one before are refused.
 *
 * @returns `undefined` when the signal fired first
 * @throws what asking for a lock throws, or claiming the term
 */
export async function takeByLock(
  election: Election & { readonly locks: LockManager; readonly channel: LeaderChannel },
  me: string,
  signal: AbortSignal,
): Promise<Office | undefined> {
  const held = await takeLock(election, me, signal)
  if (held === undefined) return undefined
  try {
    const { term } = await beginTerm(election, me)
    return { term, ...held }
  } catch (error) {
    held.release()
    throw error
  }
}

function takeLock(
  election: Parameters<typeof takeByLock>[0],
  me: string,
  signal: AbortSignal,
): Promise<Omit<Office, 'term'> | undefined> {
  const { locks, office, channel } = election
  return new Promise((resolve, reject) => {
    const waiting = new AbortController()
    const lost = new AbortController()
    let release: () => void = () => undefined
    const released = new Promise<void>((free) => (release = free))
    let isOver = false
    const finish = (): void => {
      isOver = true
      stopWatching()
      signal.removeEventListener('abort', end)
      waiting.abort()
    }
    const request = (options: LockOptions): void => {
      let isOurs = false
      const take = (): Promise<void> | undefined => {
        // In turn and stolen at once: the second goes back.
        if (isOver) return undefined
        isOurs = true
        finish()
        resolve({ lost: lost.signal, release })
        return released
      }
      locks.request(office, options, take).catch((error: unknown) => {
        if (isOurs) return lost.abort()
        // Queueing ends where stealing begins.
        if (isOver || options.signal?.aborted === true) return
        finish()
        reject(error)
      })
    }
    const steal = (): void => {
      if (isOver) return
      waiting.abort()
      request({ steal: true })
    }
    const end = (): void => {
      finish()
      resolve(undefined)
    }
    const stopWatching = watchLeader(election, channel, me, steal)
    signal.addEventListener('abort', end)
    request({ signal: waiting.signal })
  })
}

/**
 * Begins a term. Where the lock is stolen in this very moment, two may begin one after the other, and the one that lost
 * the lock last: the other one hears of the higher term, or is refused, and stands again.
 */
async function beginTerm({ store, now }: Election, me: string): Promise<LeaderTerm> {
  for (let stored = await store.claimTerm(); ; ) {
    stored = await store.claimTerm({ after: stored, next: nextTerm(stored, me, now()) })
    if (stored.holder === me) return stored
  }
}
