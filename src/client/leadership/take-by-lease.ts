import type { LeaderTerm } from '../../contract/term.ts'
import type { Election, Lead } from './election.ts'
import { nextTerm } from './next-term.ts'
import { watchLeader } from './watch-leader.ts'

/**
 * How often a leader counts up its row, in ticks, where tabs can't ask it; and for how many ticks the row may stay
 * unchanged: timers of hidden tabs run once a minute.
 */
const beatTicks = 5
const patienceTicks = 80

/**
 * Becomes leader where there are no Web Locks, by the stored row alone: the first tab to change it leads. A leader stays
 * leader while it answers, or, where tabs can't reach each other, while it counts up its row. The clocks of two tabs are
 * never compared.
 *
 * @returns `undefined` when the signal fired first
 * @throws what claiming the term throws
 */
export async function takeByLease(election: Election, me: string, signal: AbortSignal): Promise<Lead | undefined> {
  const { store, now } = election
  let seen = await store.claimTerm()
  while (!signal.aborted) {
    if (seen.holder !== '') seen = await untilSilent(election, me, seen, signal)
    if (signal.aborted) return undefined
    // A row that changed meanwhile is not the one that was watched, and is left unchanged.
    seen = await store.claimTerm({ after: seen, next: nextTerm(seen, me, now()) })
    if (seen.holder === me) return hold(election, seen)
  }
  return undefined
}

/** @returns the row that a new term may replace */
async function untilSilent(election: Election, me: string, seen: LeaderTerm, signal: AbortSignal): Promise<LeaderTerm> {
  const { store, channel, tickMs } = election
  if (channel !== undefined) {
    await new Promise<void>((resolve, reject) => {
      const stop = watchLeader(election, channel, me, resolve, seen.term)
      const end = (): void => {
        stop()
        resolve()
      }
      signal.addEventListener('abort', end)
      // A leader that left before this tab listened has changed the row.
      store.claimTerm().then(
        (stored) => (stored.term === seen.term && stored.beat === seen.beat) || end(),
        (error: unknown) => {
          stop()
          reject(error)
        },
      )
    })
    return seen
  }
  let last = seen
  for (let still = 0; still < patienceTicks && !signal.aborted && last.holder !== ''; ) {
    await new Promise((resolve) => setTimeout(resolve, tickMs))
    const stored = await store.claimTerm()
    still = stored.term === last.term && stored.beat === last.beat ? still + 1 : 0
    last = stored
  }
  return last
}

function hold({ store, channel, tickMs, lock }: Election, taken: LeaderTerm): Lead {
  const lost = new AbortController()
  let row = taken
  let isFree = false
  const change = async (next: LeaderTerm): Promise<void> => {
    row = await store.claimTerm({ after: row, next })
    if (row.term !== next.term || row.holder !== next.holder) lost.abort()
  }
  // After a failure the next beat tries again. A leader whose other writes fail notices it by them.
  const beating =
    channel === undefined && lock !== ''
      ? setInterval(() => void change({ ...row, beat: row.beat + 1 }).catch(() => undefined), beatTicks * tickMs)
      : undefined
  return {
    term: taken.term,
    lost: lost.signal,
    release: () => {
      if (isFree) return
      isFree = true
      clearInterval(beating)
      // Other tabs need not wait for this write: they notice that nobody answers.
      if (!lost.signal.aborted) void change({ ...row, holder: '', beat: row.beat + 1 }).catch(() => undefined)
      channel?.say({ keepsession: 'no-leader', term: taken.term })
    },
  }
}
