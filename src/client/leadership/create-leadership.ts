import type { SessionStore } from '../../contract/store/session-store.ts'
import { locksHere } from '../worker/page-lock.ts'
import type { Election } from './election.ts'
import type { TermHooks } from './lead-term.ts'
import { openLeaderChannel } from './leader-channel.ts'
import { closedError, createLeaderJobs } from './leader-jobs.ts'
import type { LeaderState, Leadership } from './leadership-types.ts'
import { hiddenFor } from './page-life.ts'
import { runCandidate } from './run-candidate.ts'

export interface LeadershipOptions
  extends Partial<Pick<Election, 'locks' | 'channel' | 'tickMs' | 'now' | 'hiddenFor'>> {
  readonly store: Pick<SessionStore, 'claimTerm'>
  /** Name of the lock, and of the channel. Absent: no other tab uses this store. */
  readonly lock?: string | undefined
  /** Called with the reason when no leader can be found. */
  readonly onTrouble?: (message: string) => void
}

const follower: LeaderState = { isLeader: false, term: 0 }

/**
 * Finds out which of all tabs on a database leads, from the first call on. The other tabs ask the leader for answers. A
 * leader that no longer answers is replaced; if it comes back, its writes are refused by their term.
 */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { store, lock, onTrouble, tickMs = 1000 } = options
  const channel = 'channel' in options ? options.channel : lock === undefined ? undefined : openLeaderChannel(lock)
  const locks = 'locks' in options ? options.locks : locksHere()
  const jobs = createLeaderJobs()
  const election: Election = {
    store,
    lock: lock ?? '',
    locks,
    channel,
    tickMs,
    now: options.now ?? Date.now,
    hiddenFor: options.hiddenFor ?? hiddenFor,
    hasLasting: jobs.hasLasting,
  }
  const ending = new AbortController()
  const followers = new Set<(state: LeaderState) => void>()
  let state = follower
  let recheck: () => void = () => undefined
  let running: Promise<void> | undefined
  let closing: Promise<void> | undefined

  const hooks: TermHooks = {
    onBegin: (term, look) => {
      publish({ isLeader: true, term })
      recheck = look
    },
    onEnd: () => {
      recheck = () => undefined
      publish(follower)
    },
  }

  function run(): void {
    running ??= runCandidate(election, jobs, ending.signal, hooks, onTrouble)
  }

  function publish(next: LeaderState): void {
    state = next
    for (const listener of [...followers]) {
      try {
        listener(next)
      } catch (error) {
        // An error of one listener is reported, and must not affect the others.
        setTimeout(() => {
          throw error
        })
      }
    }
  }

  async function close(): Promise<void> {
    jobs.close()
    ending.abort()
    await running
    followers.clear()
    channel?.close()
  }

  return {
    lead: async (work, given = {}) => {
      if (typeof work !== 'function')
        throw new TypeError(`lead needs a function that does the work, got ${typeof work}.`)
      if (ending.signal.aborted) throw closedError()
      const done = jobs.add(work, given)
      run()
      return done
    },
    follow: (listener) => {
      const own = (next: LeaderState): void => listener(next)
      followers.add(own)
      if (!ending.signal.aborted) run()
      listener(state)
      return () => void followers.delete(own)
    },
    recheck: () => recheck(),
    close: () => (closing ??= close()),
  }
}
