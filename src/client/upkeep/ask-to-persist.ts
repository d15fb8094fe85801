import type { PersistAnswer } from '../store-health.ts'
import { checkedTimeout } from '../worker/checked-timeout.ts'
import { startTimer } from '../worker/start-timer.ts'

/** How long the browser may take to answer. Firefox asks its user, and never answers without a window. */
const patienceMs = 5000

/**
 * Asks the browser to keep the data of this origin. Never rejects because of what the browser does. @throws
 * InvalidInput for a bad `timeoutMs`
 */
export async function askToPersist({
  timeoutMs = patienceMs,
}: {
  readonly timeoutMs?: number
} = {}): Promise<PersistAnswer> {
  checkedTimeout(timeoutMs)
  const storage = (globalThis.navigator as Navigator | undefined)?.storage as Partial<StorageManager> | undefined
  if (typeof storage?.persist !== 'function') return 'unavailable'
  let stop: () => void = () => undefined
  const late = new Promise<PersistAnswer>((resolve) => (stop = startTimer(() => resolve('unanswered'), timeoutMs)))
  try {
    return await Promise.race([
      storage.persist().then((isGranted): PersistAnswer => (isGranted ? 'granted' : 'denied')),
      late,
    ])
  } catch {
    // Opaque origins are not allowed to ask.
    return 'unavailable'
  } finally {
    stop()
  }
}
