import { drawId } from '../session/draw-id.ts'
import type { Election, Lead } from './election.ts'
import { leadTerm, type TermHooks } from './lead-term.ts'
import type { LeaderJobs } from './leader-jobs.ts'
import { takeByLease } from './take-by-lease.ts'
import { takeByLock } from './take-by-lock.ts'
import { wait } from './wait.ts'

/** Makes this tab a candidate, and leads whenever it can, until the signal aborts. */
export async function runCandidate(
  given: Election,
  jobs: LeaderJobs,
  ending: AbortSignal,
  hooks: TermHooks,
  onTrouble: ((message: string) => void) | undefined,
): Promise<void> {
  let election = given
  let isInTrouble = false

  async function take(me: string): Promise<Lead | undefined> {
    const { locks, channel } = election
    if (locks !== undefined && channel !== undefined) {
      try {
        return await takeByLock({ ...election, locks, channel }, me, ending)
      } catch (error) {
        // Some pages have locks but are not allowed to use them.
        if ((error as Error).name !== 'SecurityError') throw error
        election = { ...election, locks: undefined }
      }
    }
    return takeByLease(election, me, ending)
  }

  while (!ending.aborted) {
    try {
      const taken = await take(drawId())
      if (taken === undefined) return
      isInTrouble = false
      const isRefused = await leadTerm(taken, election, jobs, ending, hooks).finally(taken.release)
      // Two tabs that refuse each other must not do so in an endless loop.
      if (isRefused) await wait(ending, election.tickMs)
    } catch (error) {
      if (ending.aborted) return
      if (!isInTrouble)
        onTrouble?.(
          "It can't be found out which tab leads, so that what only one tab does has to wait. " +
            (error as Error).message,
        )
      isInTrouble = true
      await wait(ending, election.tickMs)
    }
  }
}
