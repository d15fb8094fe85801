import { snapshotOf } from './snapshot-of.ts'
import type { Sync } from './sync-contract.ts'
import type { SyncStanding } from './sync-standing.ts'

/** Between two tellings, in milliseconds: the first that follow on a time of quiet, and as long as changes go on. */
const waitsMs = { shortest: 5, longest: 100 } as const

/**
 * Tells how sync stands after each change: at once after a time of quiet, as the first list is waited for, then each time twice as much later, as a device that is restored
 * changes a thousand times a minute.
 *
 * @returns tells it now
 */
export function tellSnapshots(sync: Sync, onSnapshot: (snapshot: SyncStanding) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = 0
  let toldAt = -Infinity
  const show = (): void => {
    clearTimeout(timer)
    timer = undefined
    toldAt = performance.now()
    wait = Math.min(waitsMs.longest, Math.max(waitsMs.shortest, wait * 2))
    onSnapshot(snapshotOf(sync))
  }
  sync.subscribe((what) => {
    if (what !== 'sync' || timer !== undefined) return
    const quiet = performance.now() - toldAt
    if (quiet > 2 * waitsMs.longest) wait = 0
    timer = setTimeout(show, Math.max(0, wait - quiet))
  })
  return show
}
