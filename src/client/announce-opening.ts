import { announceRefill, keepMirrorLater } from './keep-mirror.ts'
import type { LadderResult, OpeningAttempt } from './ladder.ts'
import { keepRetention } from './retention/keep-retention.ts'
import { watchSpace } from './watch-space.ts'

/** Tells what the user should know about a store that was just opened: that it keeps nothing, or has lost something. */
export function announceOpening({ store, mode, skipped, epoch, moved, mirror, refill }: LadderResult, attempt: OpeningAttempt): void {
  const { name, feed, retention } = attempt
  const notify = (notice: 'degraded' | 'dataLost' | 'moved', message: string): void => feed.emit({ type: 'notice', name: notice, message })
  if (mode === 'memory') notify('degraded', `Nothing will be kept when this page closes. ${skipped.map((one) => `${one.mode}: ${one.reason}`).join(' ')}`)
  if (moved !== undefined && moved.sessions.length > 0) notify('moved', `Sessions that an earlier run kept in Web Storage were moved into the database: ${moved.sessions.length}.`)
  if (moved !== undefined && moved.left.length > 0) {
    notify('degraded', `Sessions stay in Web Storage for now: ${moved.left.length}. The next start tries to move them again. ${moved.left[0]!.reason}`)
  }
  const isOther = epoch !== undefined && noteEpoch(name, epoch)
  if (refill !== undefined) announceRefill(refill, attempt, true)
  else if (isOther) notify('dataLost', `The database "${name}" is not the one that was here before: it was wiped. Restore from an export or another device.`)
  if (refill === undefined && mirror?.isOn) keepMirrorLater(mode, attempt)
  if (feed.ending.aborted) return
  if (mode !== 'memory') void watchSpace({ store, feed })
  if (retention !== undefined) keepRetention({ store, name, feed }, retention)
}

/**
 * Remembers outside of IndexedDB which database is open, so that a wiped one is noticed: browsers hand out an empty one without a word.
 *
 * @param epoch - drawn when the database was made
 * @returns whether another one was here before
 */
function noteEpoch(name: string, epoch: string): boolean {
  try {
    const key = `keepsession.epoch:${name}`
    const before = localStorage.getItem(key)
    if (before !== epoch) localStorage.setItem(key, epoch)
    return before !== null && before !== epoch
  } catch {
    // No page, or a page that may keep nothing: then there is nothing to compare with.
    return false
  }
}
