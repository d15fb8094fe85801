import { isSessionError } from '../../contract/errors.ts'
import type { SessionClient } from '../client-contract.ts'
import { wait } from '../leadership/wait.ts'
import { type RetainedPlace, retainOnce } from './retain-once.ts'
import type { RetentionPolicy } from './retention-policy.ts'

/** Delay of the first run after the opening, so that the page can show its content first. */
const afterMs = 10_000
const everyMs = 6 * 3_600_000
/** The least time between the first runs of pages that are opened again and again. */
const restMs = 3_600_000

/**
 * Enforces a policy until the store is closed, in the tab that leads. Failures are announced by a notice and retried.
 */
export function keepRetention(
  place: RetainedPlace,
  policy: RetentionPolicy,
  client: Pick<SessionClient, 'lead'>,
): void {
  const { name, feed } = place
  const work = async (term: number, signal: AbortSignal): Promise<void> => {
    for (let ms = afterMs; ; ) {
      await wait(signal, ms)
      if (signal.aborted) return
      const isTime = isDue(name)
      // The tab that ran last may be gone by the next time, or may not have finished.
      ms = isTime ? everyMs : restMs
      if (!isTime) continue
      await retainOnce(place, policy, { term }).catch((error: unknown) => {
        // This tab no longer leads, which it may learn only by this error.
        if (isSessionError(error, 'NotLeader')) throw error
        if (!signal.aborted)
          feed.emit({
            type: 'notice',
            name: 'retained',
            keys: [],
            message: `The retention policy could not be enforced; the next run tries again. ${(error as Error).message}`,
          })
      })
    }
  }
  // It only rejects when the store is closed.
  client.lead(work).catch(() => undefined)
}

/**
 * Whether no tab has run the policy for a while; notes the time of this run. Where nothing can be noted, each tab runs
 * it.
 */
function isDue(name: string): boolean {
  try {
    const key = `keepsession.retention:${name}`
    const since = Date.now() - Number(localStorage.getItem(key) ?? 0)
    // A clock that was set back must not postpone it for ever.
    if (since >= 0 && since < restMs) return false
    localStorage.setItem(key, String(Date.now()))
  } catch {
    // There is no page, or it is not allowed to store anything.
  }
  return true
}
