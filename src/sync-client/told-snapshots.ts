import { afterChange, changeBetween, type SnapshotChange } from '../sync/snapshot-change.ts'
import type { SyncStanding } from '../sync/sync-standing.ts'

/** A snapshot on its way to the other tabs: whole for who has none, or what has changed since the one before. */
export type ToldSnapshot = { readonly at: number } & ({ readonly snapshot: SyncStanding } | { readonly change: SnapshotChange })

/** What one tab tells the others of its snapshots. */
export interface SnapshotTeller {
  whole(snapshot: SyncStanding): ToldSnapshot
  change(snapshot: SyncStanding): ToldSnapshot
}

export function createSnapshotTeller(): SnapshotTeller {
  let told: SyncStanding | undefined
  let at = 0
  const whole = (snapshot: SyncStanding): ToldSnapshot => ({ at: (at += 1), snapshot: (told = snapshot) })
  return {
    whole,
    change: (snapshot) => {
      if (told === undefined) return whole(snapshot)
      const change = changeBetween(told, snapshot)
      told = snapshot
      return { at: (at += 1), change }
    },
  }
}

/** @returns puts the snapshots of a teller together again; `undefined` where one before is missing, so that a whole one is to be asked for */
export function createSnapshotHearer(): (told: ToldSnapshot) => SyncStanding | undefined {
  let last: { readonly at: number; readonly snapshot: SyncStanding } | undefined
  return (told) => {
    const { at } = told
    if ('snapshot' in told) last = { at, snapshot: told.snapshot }
    else if (last?.at === at - 1) last = { at, snapshot: afterChange(last.snapshot, told.change) }
    else last = undefined
    return last?.snapshot
  }
}
