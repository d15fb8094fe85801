import type { SessionStore } from '../../contract/store/session-store.ts'
import { drawId } from '../session/draw-id.ts'
import { locksHere } from '../worker/page-lock.ts'
import type { Election, Office } from './election.ts'
import { openLeaderChannel } from './leader-channel.ts'
import { closedError, createLeaderJobs } from './leader-jobs.ts'
import type { LeaderState, Leadership } from './leadership-types.ts'
import { hiddenFor, onLeaving } from './page-life.ts'
import { takeByLease } from './take-by-lease.ts'
import { takeByLock } from './take-by-lock.ts'
import { wait } from './wait.ts'

/**
 * How long a leader in the background stays one before it hands over to a tab in sight: to look at another one in
 * between changes nothing.
 */
const hiddenMs = 30_000
/** How long work may take to end before the office goes to another tab all the same. */
const endingMs = 1000

export interface LeadershipOptions
  extends Partial<Pick<Election, 'locks' | 'channel' | 'tickMs' | 'now' | 'hiddenFor'>> {
  readonly store: Pick<SessionStore, 'claimTerm'>
  /** Name of the lock, and of the channel. Absent: nobody else is on this store. */
  readonly office?: string | undefined
  /** Hears why nobody is found who leads. */
  readonly onTrouble?: (message: string) => void
}

const follower: LeaderState = { isLeader: false, term: 0 }

/**
 * Finds out which of all tabs on a database leads, from the first call on. The others have the leader answer them; from
 * one that no longer does the office is taken, and if it ever comes back it is refused by its term.
 */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { store, office, onTrouble, tickMs = 1000 } = options
  const channel = 'channel' in options ? options.channel : office === undefined ? undefined : openLeaderChannel(office)
  let locks = 'locks' in options ? options.locks : locksHere()
  const jobs = createLeaderJobs()
  const election = {
    store,
    office: office ?? '',
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
  let standing: Promise<void> | undefined
  let closing: Promise<void> | undefined

  /** Stands for leader, and leads, until the end. */
  async function stand(): Promise<void> {
    let isInTrouble = false
    while (!ending.signal.aborted) {
      try {
        const taken = await take(drawId())
        if (taken === undefined) return
        isInTrouble = false
        const isRefused = await serve(taken).finally(taken.release)
        // Lest two that refuse each other do so without end.
        if (isRefused) await wait(ending.signal, tickMs)
      } catch (error) {
        if (ending.signal.aborted) return
        if (!isInTrouble)
          onTrouble?.(
            `It can't be found out which tab leads, so that what only one tab does has to wait. ${(error as Error).message}`,
          )
        isInTrouble = true
        await wait(ending.signal, tickMs)
      }
    }
  }

  async function take(me: string): Promise<Office | undefined> {
    if (locks !== undefined && channel !== undefined) {
      try {
        return await takeByLock({ ...election, locks, channel }, me, ending.signal)
      } catch (error) {
        // Some pages have locks that they may not use.
        if ((error as Error).name !== 'SecurityError') throw error
        locks = undefined
      }
    }
    return takeByLease({ ...election, locks }, me, ending.signal)
  }

  /** @returns whether it ended because another term had begun */
  async function serve(taken: Office): Promise<boolean> {
    const { term } = taken
    const over = new AbortController()
    const end = (): void => over.abort()
    let isRefused = false
    let heir: string | undefined
    const answer = (): void =>
      channel?.say({
        keepsession: 'leader',
        term,
        isVisible: election.hiddenFor() === 0,
        hasLasting: jobs.hasLasting(),
        ...(heir === undefined ? {} : { heir }),
      })
    const unhear = channel?.hear((message) => {
      if (message.keepsession === 'leader') {
        if (message.term > term) end()
        else if (message.term < term) answer()
      } else if (message.keepsession === 'who-leads') {
        const isNeededThere = message.hasLasting && !jobs.hasLasting()
        if (!isNeededThere && (!message.isVisible || election.hiddenFor() < hiddenMs)) return answer()
        heir ??= message.from
        end()
      }
    })
    // There is no time to wait for anybody in a page that goes.
    const unleave = onLeaving(() => {
      end()
      taken.release()
    })
    taken.lost.addEventListener('abort', end)
    ending.signal.addEventListener('abort', end)
    if (taken.lost.aborted || ending.signal.aborted) end()
    else {
      publish({ isLeader: true, term })
      answer()
      const refuse = (): void => {
        isRefused = true
        end()
      }
      // A store that can't say is none to lead.
      recheck = () => void store.claimTerm().then((stored) => stored.term === term || refuse(), refuse)
      jobs.begin({ term, over: over.signal, refuse })
      await wait(over.signal)
      recheck = () => undefined
      publish(follower)
      await jobs.idle(endingMs)
    }
    ending.signal.removeEventListener('abort', end)
    unleave()
    if (heir !== undefined && !taken.lost.aborted) {
      answer()
      await wait(taken.lost, endingMs)
    }
    unhear?.()
    return isRefused
  }

  function publish(next: LeaderState): void {
    state = next
    for (const listener of [...followers]) {
      try {
        listener(next)
      } catch (error) {
        // A listener's mistake is its own: it is reported, and the office goes on.
        setTimeout(() => {
          throw error
        })
      }
    }
  }

  async function close(): Promise<void> {
    jobs.close()
    ending.abort()
    await standing
    followers.clear()
    channel?.close()
  }

  return {
    lead: async (work, given = {}) => {
      if (typeof work !== 'function')
        throw new TypeError(`lead needs a function that does the work, got ${typeof work}.`)
      if (ending.signal.aborted) throw closedError()
      const done = jobs.add(work, given)
      standing ??= stand()
      return done
    },
    follow: (listener) => {
      const own = (next: LeaderState): void => listener(next)
      followers.add(own)
      if (!ending.signal.aborted) standing ??= stand()
      listener(state)
      return () => void followers.delete(own)
    },
    recheck: () => recheck(),
    close: () => (closing ??= close()),
  }
}
