import type { LeaderTerm } from '../../contract/term.ts'
import type { Election, Office } from './election.ts'
import { nextTerm } from './next-term.ts'
import { watchLeader } from './watch-leader.ts'

/**
 * How often a leader counts up its row, in ticks, where nobody can ask it; and how long the row may stand still: timers
 * of hidden tabs run once a minute.
 */
const beatTicks = 5
const patienceTicks = 80

/**
 * Takes the office where there are no Web Locks, by the stored row alone: whoever changes it first leads. One that is
 * in office is left there while it answers, or, where tabs can't hear each other, while it counts up its row. No clock
 * of two tabs is compared.
 *
 * @returns `undefined` when the signal fired first
 * @throws what claiming the term throws
 */
export async function takeByLease(election: Election, me: string, signal: AbortSignal): Promise<Office | undefined> {
  const { store, now } = election
  let seen = await store.claimTerm()
  while (!signal.aborted) {
    if (seen.holder !== '') seen = await untilSilent(election, me, seen, signal)
    if (signal.aborted) return undefined
    // What was stored meanwhile is not what was watched, and is left alone.
    seen = await store.claimTerm({ after: seen, next: nextTerm(seen, me, now()) })
    if (seen.holder === me) return hold(election, seen)
  }
  return undefined
}

/** @returns the row in whose place a term may begin */
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
      // One that left before anybody listened has changed the row.
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

function hold({ store, channel, tickMs, office }: Election, taken: LeaderTerm): Office {
  const lost = new AbortController()
  let row = taken
  let isFree = false
  const change = async (next: LeaderTerm): Promise<void> => {
    row = await store.claimTerm({ after: row, next })
    if (row.term !== next.term || row.holder !== next.holder) lost.abort()
  }
  // One that fails is tried again by the next; a leader whose writes fail too is told by them.
  const beating =
    channel === undefined && office !== ''
      ? setInterval(() => void change({ ...row, beat: row.beat + 1 }).catch(() => undefined), beatTicks * tickMs)
      : undefined
  return {
    term: taken.term,
    lost: lost.signal,
    release: () => {
      if (isFree) return
      isFree = true
      clearInterval(beating)
      // The others need not wait for it: that nobody answers is enough.
      if (!lost.signal.aborted) void change({ ...row, holder: '', beat: row.beat + 1 }).catch(() => undefined)
      channel?.say({ keepsession: 'no-leader', term: taken.term })
    },
  }
}
