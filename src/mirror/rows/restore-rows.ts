import type { MirrorSealing, RowsPlace } from '../mirrored-place.ts'
import { findNewestRows } from './newest-rows.ts'
import { type RowsFile, readRows } from './read-rows.ts'
import { createRowsBatches, type RestoredRows } from './rows-batches.ts'
import { rowId } from './rows-text.ts'

export interface RestoreRows {
  readonly place: RowsPlace
  readonly sealing: MirrorSealing | undefined
  readonly signal: AbortSignal | undefined
  /** Epoch of the database. */
  readonly epoch: string
  /** Epochs of the lost ones. */
  readonly lost: readonly string[]
  /** All files with rows. */
  readonly files: readonly RowsFile[]
}

/**
 * Restores the rows of lost databases, as they were last. The newest database comes first. What it says of a row counts
 * for the older ones, too: that one which it deleted stays deleted. In the same way, what was restored and has been
 * deleted since stays so when an interrupted restore is repeated. @throws Aborted
 */
export async function restoreRows({ place, sealing, signal, epoch, lost, files }: RestoreRows): Promise<RestoredRows> {
  const known = new Set<string>((await findNewestRows(files, epoch)).ids())
  const batches = createRowsBatches({ place, sealing, signal })
  const age = new Map(lost.map((one) => [one, newestStamp(files, one)]))
  for (const one of [...lost].sort((a, b) => age.get(b)! - age.get(a)!)) {
    const newest = await findNewestRows(files, one)
    for (const file of files) {
      for await (const found of readRows(file, one)) {
        for (const [key, row] of found.rows)
          if (row && newest.isNewest(found, key) && !known.has(rowId(found.collection, key)))
            await batches.add(found.collection, key, row)
      }
    }
    for (const id of newest.ids()) known.add(id)
  }
  return batches.finish()
}

function newestStamp(files: readonly RowsFile[], epoch: string): number {
  let newest = 0
  for (const { scanned } of files) {
    const { links, snapshots = [] } = scanned.epochs.get(epoch) ?? {}
    for (const stamp of links?.keys() ?? []) newest = Math.max(newest, stamp)
    for (const { stamp } of snapshots) newest = Math.max(newest, stamp)
  }
  return newest
}
