import type { MirrorSealing, RowsPlace } from '../mirrored-place.ts'
import { type RowsFile, readRows } from './frames-of-rows.ts'
import { findNewestRows, type NewestRows } from './newest-rows.ts'
import { createRowsBatches, type RestoredRows } from './rows-batches.ts'
import { isFilledFrom, lostEpochs, type RowsIndex, restoredUpTo } from './rows-index.ts'
import { rowId } from './rows-text.ts'

export interface RestoreRows {
  readonly place: RowsPlace
  readonly sealing: MirrorSealing | undefined
  readonly signal: AbortSignal | undefined
  /** Epoch of the database. */
  readonly epoch: string
  readonly index: RowsIndex
  /** Stamp of the last commit that the database had before the files were read. */
  readonly last: number
  /** All files with rows. */
  readonly files: readonly RowsFile[]
}

/**
 * Restores the rows of other databases, as they were last. What a newer database says of a row counts for the older
 * ones, too: that one which it deleted stays deleted. In the same way, what was restored and has been deleted since stays
 * so when an interrupted restore is repeated.
 *
 * Rows of a lost database are added where there are none. If this database seemed lost and was replaced by another one
 * for a while, it gets what changed there. @throws Aborted
 */
export async function restoreRows(options: RestoreRows): Promise<RestoredRows> {
  const { epoch, index, files } = options
  const current = await findNewestRows(files, epoch)
  const settled = new Set<string>()
  const lost = lostEpochs(index)
  const isSuccessor = (one: string): boolean => isFilledFrom(index, one, epoch)
  let [rows, unreadable] = [0, 0]
  let { last } = options
  // Only with the first ones it matters what the last commit was.
  for (const one of [...lost.filter(isSuccessor), ...lost.filter((other) => !isSuccessor(other))]) {
    const newest = await findNewestRows(files, one, restoredUpTo(index, one))
    const done = await restoreEpoch({ ...options, last, epoch: one }, isSuccessor(one), current, newest, settled)
    rows += done.rows
    unreadable += done.unreadable
    if (done.isOutdated) return { ...done, rows, unreadable }
    last = done.last ?? last
    for (const id of newest.ids()) settled.add(id)
  }
  return { rows, unreadable, isOutdated: false }
}

/** @param settled - rows of which newer databases say something */
async function restoreEpoch(
  { last, files, epoch, ...options }: RestoreRows,
  isSuccessor: boolean,
  current: NewestRows,
  newest: NewestRows,
  settled: ReadonlySet<string>,
): Promise<RestoredRows> {
  const batches = createRowsBatches({ ...options, ...(isSuccessor && { after: last }) })
  for (const file of files) {
    for await (const found of readRows(file, epoch)) {
      for (const [key, row] of found.rows) {
        const id = rowId(found.collection, key)
        if (row === null || settled.has(id) || !newest.isNewest(found, key)) continue
        const known = current.stampOf(id)
        if (isSuccessor ? found.stamp > (known ?? 0) : row !== undefined && known === undefined)
          await batches.add(found.collection, key, row)
      }
    }
  }
  return batches.finish()
}
