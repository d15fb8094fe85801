import type { SessionClient } from '../../../client/client-contract.ts'
import { wait } from '../../../client/leadership/wait.ts'
import { isSessionError } from '../../../contract/errors.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'

/** The longest delay that a timer supports. */
const longestMs = 2 ** 31 - 1

/**
 * Sweeps immediately and then at an interval until the signal fires, but only in the leading tab. A bare store has no
 * leader, so that every tab sweeps it; sweeps don't disturb each other. A failed sweep is not retried before the next
 * interval.
 *
 * @param sweep - called with the leader's term
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
        // Another tab is the leader and sweeps from now on, or the store was closed.
        if (isSessionError(error, 'NotLeader') || isSessionError(error, 'StorageClosed')) throw error
      })
      await wait(signal, Math.min(everyMs, longestMs))
    }
  }
  if ('lead' in store) store.lead(work, { signal: ending }).catch(() => undefined)
  else work(undefined, ending).catch(() => undefined)
}
