import type { Election, Lead } from './election.ts'
import type { LeaderJobs } from './leader-jobs.ts'
import { onLeaving } from './page-life.ts'
import { wait } from './wait.ts'

/**
 * A leader in the background stays leader for this long before it hands over to a visible tab: switching to another tab
 * for a moment changes nothing.
 */
const hiddenMs = 30_000
/** How long work may take to end before another tab becomes leader anyway. */
const endingMs = 1000

/** What changes when this tab starts or stops leading. */
export interface TermHooks {
  /** @param recheck - looks whether the term is still stored */
  onBegin(term: number, recheck: () => void): void
  onEnd(): void
}

/**
 * Leads for one term, until the lead is lost, handed over or refused, or a signal fires.
 *
 * @returns whether it ended because another term had begun
 */
export async function leadTerm(
  taken: Lead,
  { store, channel, hiddenFor }: Pick<Election, 'store' | 'channel' | 'hiddenFor'>,
  jobs: LeaderJobs,
  ending: AbortSignal,
  { onBegin, onEnd }: TermHooks,
): Promise<boolean> {
  const { term } = taken
  const over = new AbortController()
  const end = (): void => over.abort()
  let isRefused = false
  let heir: string | undefined
  const answer = (): void =>
    channel?.say({
      keepsession: 'leader',
      term,
      isVisible: hiddenFor() === 0,
      hasLasting: jobs.hasLasting(),
      ...(heir === undefined ? {} : { heir }),
    })
  const unsubscribe = channel?.subscribe((message) => {
    if (message.keepsession === 'leader') {
      if (message.term > term) end()
      else if (message.term < term) answer()
    } else if (message.keepsession === 'who-leads') {
      const isNeededThere = message.hasLasting && !jobs.hasLasting()
      // The other tab would hand it back at once.
      const isNeededHere = jobs.hasLasting() && !message.hasLasting
      if (!isNeededThere && (isNeededHere || !message.isVisible || hiddenFor() < hiddenMs)) return answer()
      heir ??= message.from
      end()
    }
  })
  // A page that is being left has no time to wait.
  const stopLeaving = onLeaving(() => {
    end()
    taken.release()
  })
  taken.lost.addEventListener('abort', end)
  ending.addEventListener('abort', end)
  if (taken.lost.aborted || ending.aborted) end()
  else {
    const refuse = (): void => {
      isRefused = true
      end()
    }
    // A store that can't answer can't be led.
    onBegin(term, () => void store.claimTerm().then((stored) => stored.term === term || refuse(), refuse))
    answer()
    jobs.begin({ term, over: over.signal, refuse })
    await wait(over.signal)
    onEnd()
    await jobs.idle(endingMs)
  }
  ending.removeEventListener('abort', end)
  stopLeaving()
  if (heir !== undefined && !taken.lost.aborted) {
    answer()
    await wait(taken.lost, endingMs)
  }
  unsubscribe?.()
  return isRefused
}
