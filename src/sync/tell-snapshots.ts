import { snapshotOf } from './snapshot-of.ts'
import type { Sync } from './sync.ts'
import type { SyncStanding } from './worker-protocol.ts'

/** How often a page hears how sync stands, in milliseconds. */
const snapshotMs = 100

/** Tells how sync stands after each change, those of a moment together. @returns tells it at once */
export function tellSnapshots(sync: Sync, onSnapshot: (snapshot: SyncStanding) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = (): void => {
    clearTimeout(timer)
    timer = undefined
    onSnapshot(snapshotOf(sync))
  }
  sync.subscribe((what) => {
    if (what === 'sync') timer ??= setTimeout(show, snapshotMs)
  })
  return show
}
