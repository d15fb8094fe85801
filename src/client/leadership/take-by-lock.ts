import type { LeaderTerm } from '../../contract/term.ts'
import type { Election, Lead } from './election.ts'
import type { LeaderChannel } from './leader-channel.ts'
import { nextTerm } from './next-term.ts'
import { watchLeader } from './watch-leader.ts'

/**
 * Becomes leader by a Web Lock: the browser grants it when the leader ends, for whatever reason. The lock of a leader
 * that is frozen or hangs is stolen. Then a new term begins, so that late writes of the old leader are refused.
 *
 * @returns `undefined` when the signal fired first
 * @throws what requesting the lock or claiming the term throws
 */
export async function takeByLock(
  election: Election & { readonly locks: LockManager; readonly channel: LeaderChannel },
  me: string,
  signal: AbortSignal,
): Promise<Lead | undefined> {
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
): Promise<Omit<Lead, 'term'> | undefined> {
  const { locks, lock, channel } = election
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
        // Granted and stolen at the same moment: the second one is given back.
        if (isOver) return undefined
        isOurs = true
        finish()
        resolve({ lost: lost.signal, release })
        return released
      }
      locks.request(lock, options, take).catch((error: unknown) => {
        if (isOurs) return lost.abort()
        // Stealing ends the request that was queued.
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
 * Begins a term. When the lock is stolen at this moment, two tabs may begin terms, and the one without the lock may be
 * the second: the other tab learns of the higher term, or is refused, and becomes a candidate again.
 */
async function beginTerm({ store, now }: Election, me: string): Promise<LeaderTerm> {
  for (let stored = await store.claimTerm(); ; ) {
    stored = await store.claimTerm({ after: stored, next: nextTerm(stored, me, now()) })
    if (stored.holder === me) return stored
  }
}
