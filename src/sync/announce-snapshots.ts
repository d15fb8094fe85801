import { snapshotOf } from './snapshot-of.ts'
import type { Sync } from './sync-contract.ts'
import type { SyncStanding } from './sync-standing.ts'

/**
 * Waits between two announcements, in milliseconds: the first one after a quiet time, and the longest one while changes
 * continue.
 */
const waitsMs = { shortest: 5, longest: 100 } as const

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
    wait = Math.min(waitsMs.longest, Math.max(waitsMs.shortest, wait * 2))
    onSnapshot(snapshotOf(sync))
  }
  sync.subscribe((what) => {
    if (what !== 'sync' || timer !== undefined) return
    const quiet = performance.now() - announcedAt
    if (quiet > 2 * waitsMs.longest) wait = 0
    timer = setTimeout(announce, Math.max(0, wait - quiet))
  })
  return announce
}
