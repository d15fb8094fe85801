import type { RestoredMark } from './rows-text.ts'
import type { EpochRows, ScannedRows } from './scan-rows.ts'

/** What the index of a mirror says of rows. */
export interface RowsIndex {
  /**
   * Up to this stamp the mirror was found to have all rows: in files that the index covers, or in files of workers that
   * lived then and had written them a while ago.
   */
  readonly whole: number
  /** The file with the last snapshot that was written on its own. Without this file the mirror does not have all rows. */
  readonly snapshot?: string
  /** Commits behind that stamp in the files that the index covers, each with the stamp before it. */
  readonly links: readonly (readonly [stamp: number, previous: number])[]
  /** The newest stamp of each other database whose rows the files have, by its epoch. */
  readonly others: Readonly<Record<string, number>>
  /** What was restored to which database. */
  readonly marks: readonly RestoredMark[]
  /** Boots of the files that have rows. */
  readonly boots: readonly string[]
  /** Present when the last comparison could not erase what was replaced. */
  readonly hasOld?: true
}

export const noRows: RowsIndex = { whole: 0, links: [], others: {}, marks: [], boots: [] }

/** Adds a file to the index. @param epoch - of the database that the mirror is compared with */
export function addRows(index: RowsIndex, epoch: string, boot: string, { epochs, marks }: ScannedRows): RowsIndex {
  if (epochs.size === 0 && marks.length === 0) return index
  const others: Record<string, number> = { ...index.others }
  for (const [one, rows] of epochs) if (one !== epoch) others[one] = Math.max(others[one] ?? 0, newestStamp(rows))
  return {
    ...index,
    links: [...index.links, ...(epochs.get(epoch)?.links ?? [])].filter(([stamp]) => stamp > index.whole),
    others,
    marks: [...index.marks, ...marks],
    boots: index.boots.includes(boot) ? index.boots : [...index.boots, boot],
  }
}

function newestStamp({ links, snapshots }: EpochRows): number {
  let newest = 0
  for (const stamp of links.keys()) newest = Math.max(newest, stamp)
  for (const { stamp } of snapshots) newest = Math.max(newest, stamp)
  return newest
}

/** Up to which stamp the rows of another database were restored, to this one or to one that was restored since. */
export function restoredUpTo({ marks }: RowsIndex, lost: string): number {
  let newest = 0
  for (const mark of marks) if (mark.lost === lost) newest = Math.max(newest, mark.upTo)
  return newest
}

/** Epochs of databases with rows that are still to be restored, the one that was written to last first. */
export function lostEpochs(index: RowsIndex): readonly string[] {
  const { others } = index
  return Object.keys(others)
    .filter((lost) => others[lost]! > restoredUpTo(index, lost))
    .sort((a, b) => others[b]! - others[a]!)
}

/**
 * Whether a database was filled from this one, directly or by others in between: this one seemed lost then, and is back.
 */
export function isFilledFrom({ marks }: RowsIndex, other: string, epoch: string): boolean {
  const from = new Set([other])
  // The set may grow during the iteration. The loop then also visits what was added.
  for (const one of from) for (const mark of marks) if (mark.epoch === one) from.add(mark.lost)
  return other !== epoch && from.has(epoch)
}
