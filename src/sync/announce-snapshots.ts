import { snapshotOf } from './snapshot-of.ts'
import type { Sync } from './sync-contract.ts'
import type { SyncStanding } from './sync-standing.ts'

/**
 * Waits between two announcements, in milliseconds: the first one after a quiet time; the longest one while changes
 * continue; and the longest one where announcing takes long.
 */
const waitsMs = { shortest: 5, longest: 100, slow: 1000 } as const

/**
 * Ten thousand sessions take long to compare, here and in the page: a wait is at least so many times as long as the
 * announcement before it.
 */
const timesTaken = 20

/**
 * Announces the state of sync after each change: at once after a quiet time, because the first list is urgent; then
 * with waits that double each time, because a device that is restored changes a thousand times a minute.
 *
 * @returns announces it now
 */
export function announceSnapshots(sync: Sync, onSnapshot: (snapshot: SyncStanding) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = 0
  let announcedAt = -Infinity
  const announce = (): void => {
    clearTimeout(timer)
    timer = undefined
    announcedAt = performance.now()
    onSnapshot(snapshotOf(sync))
    const taken = performance.now() - announcedAt
    const doubled = Math.min(waitsMs.longest, Math.max(waitsMs.shortest, wait * 2))
    wait = Math.min(waitsMs.slow, Math.max(doubled, timesTaken * taken))
  }
  sync.subscribe((what) => {
    if (what !== 'sync' || timer !== undefined) return
    const quiet = performance.now() - announcedAt
    if (quiet > 2 * Math.max(waitsMs.longest, wait)) wait = 0
    timer = setTimeout(announce, Math.max(0, wait - quiet))
  })
  return announce
}
