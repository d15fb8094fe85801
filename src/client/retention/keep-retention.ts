import { isSessionError } from '../../contract/errors.ts'
import type { SessionClient } from '../client-contract.ts'
import { wait } from '../leadership/wait.ts'
import { type RetainedPlace, retainOnce } from './retain-once.ts'
import type { RetentionPolicy } from './retention-policy.ts'

/** How long after the opening: by then the page has painted what it opened for. */
const afterMs = 10_000
const everyMs = 6 * 3_600_000
/** Pages that are opened again and again need not each look. */
const restMs = 3_600_000

/**
 * Keeps a policy until the store is closed, in the tab that leads. What goes wrong is told by a notice, and tried
 * again.
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
      // Whoever looked last may not be there the next time, nor have done all of it.
      ms = isTime ? everyMs : restMs
      if (!isTime) continue
      await retainOnce(place, policy, { term }).catch((error: unknown) => {
        // This tab does not lead any more, and only by this it may learn so.
        if (isSessionError(error, 'NotLeader')) throw error
        if (!signal.aborted)
          feed.emit({
            type: 'notice',
            name: 'retained',
            keys: [],
            message: `The retention policy could not be kept; it is tried again. ${(error as Error).message}`,
          })
      })
    }
  }
  // It never rejects by itself: only when the store is closed.
  client.lead(work).catch(() => undefined)
}

/** Whether no tab has looked for a while; takes note of it. Where nothing can be noted each looks. */
function isDue(name: string): boolean {
  try {
    const key = `keepsession.retention:${name}`
    const since = Date.now() - Number(localStorage.getItem(key) ?? 0)
    // A clock that was set back must not put it off for ever.
    if (since >= 0 && since < restMs) return false
    localStorage.setItem(key, String(Date.now()))
  } catch {
    // No page, or one that may keep nothing.
  }
  return true
}
