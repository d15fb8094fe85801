import type { SessionClient } from '../../../client/client-contract.ts'
import { wait } from '../../../client/leadership/wait.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'

/** The longest a timer can wait. */
const longestMs = 2 ** 31 - 1

/**
 * Sweeps at once and then every so many milliseconds, until the signal fires: in the tab that leads. A bare store knows
 * of no other tabs, so that it is swept by each; sweeps don't disturb each other. One that fails is done again by the
 * next.
 *
 * @param sweep - gets the term of the leader
 */
export function keepSwept(
  store: SessionStore | SessionClient,
  sweep: (term: number | undefined, signal: AbortSignal) => Promise<unknown>,
  everyMs: number,
  ending: AbortSignal,
): void {
  const work = async (term: number | undefined, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await sweep(term, signal).catch((error: unknown) => {
        // Another tab leads, and sweeps from now on; or there is nothing more to sweep.
        if (isSessionError(error, 'NotLeader') || isSessionError(error, 'StorageClosed')) throw error
      })
      await wait(signal, Math.min(everyMs, longestMs))
    }
  }
  if ('lead' in store) store.lead(work, { signal: ending }).catch(() => undefined)
  else work(undefined, ending).catch(() => undefined)
}
