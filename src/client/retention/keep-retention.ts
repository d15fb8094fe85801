import { type RetainedPlace, retainOnce } from './retain-once.ts'
import type { RetentionPolicy } from './types.ts'

/** How long after the opening: by then the page has painted what it opened for. */
const afterMs = 10_000
const everyMs = 6 * 3_600_000
/** Pages that are opened again and again need not each look. */
const restMs = 3_600_000

/** Keeps a policy until the store is closed. What goes wrong is told by a notice, and tried again. */
export function keepRetention(place: RetainedPlace, policy: RetentionPolicy): void {
  const { name, feed } = place
  const run = (): void => {
    if (!isDue(name)) return
    retainOnce(place, policy).catch((error: unknown) => {
      if (!feed.ending.aborted) feed.emit({ type: 'notice', name: 'retained', keys: [], message: `The retention policy could not be kept; it is tried again. ${(error as Error).message}` })
    })
  }
  const first = setTimeout(run, afterMs)
  const timer = setInterval(run, everyMs)
  feed.ending.addEventListener('abort', () => {
    clearTimeout(first)
    clearInterval(timer)
  })
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
