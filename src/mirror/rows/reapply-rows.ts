import { type FoundRows, type RowsFile, readRows } from './frames-of-rows.ts'
import { newestSnapshot } from './newest-rows.ts'
import type { RestoreRows } from './restore-rows.ts'
import { createRowsBatches, type RestoredRows } from './rows-batches.ts'
import { rowId } from './rows-text.ts'
import type { RowsWalk } from './walk-rows.ts'

export interface ReapplyRows extends Pick<RestoreRows, 'place' | 'sealing' | 'signal' | 'epoch' | 'last'> {
  readonly walk: RowsWalk
  /** Files of workers that ended. */
  readonly files: readonly RowsFile[]
  /** The other files, which may say what became of a row since. */
  readonly others: readonly RowsFile[]
}

/** Whether files of dead workers have commits that the database must have lost. */
export function hasLostRows(
  links: Iterable<readonly [stamp: number, previous: number]>,
  { reached, end }: Pick<RowsWalk, 'reached' | 'end'>,
): boolean {
  for (const [stamp] of links) if (stamp > end && !reached.has(stamp)) return true
  return false
}

/**
 * Changes rows again as commits did that the database has lost: browsers may lose the end of a database. A row that was
 * changed since stays as it is. @throws Aborted
 */
export async function reapplyRows(options: ReapplyRows): Promise<RestoredRows> {
  const { epoch, last, walk, files, others } = options
  const snapshot = newestSnapshot(files, epoch)
  // The walk ends below a snapshot that was lost, even if the database has newer commits since. It replaced older ones.
  const isSnapshotLost = walk.end < snapshot
  const from = isSnapshotLost ? snapshot - 1 : walk.end
  const isLost = ({ stamp, previous, isComplete }: FoundRows): boolean =>
    isComplete &&
    !walk.reached.has(stamp) &&
    (previous !== null ? stamp > snapshot || !isSnapshotLost : stamp === snapshot && isSnapshotLost)
  const newest = async (those: readonly RowsFile[], isMeant: (found: FoundRows) => boolean) => {
    const stamps = new Map<string, number>()
    for (const file of those) {
      for await (const found of readRows(file, epoch, (stamp) => stamp > from)) {
        for (const [key] of isMeant(found) ? found.rows : []) {
          const id = rowId(found.collection, key)
          stamps.set(id, Math.max(stamps.get(id) ?? 0, found.stamp))
        }
      }
    }
    return stamps
  }
  const lost = await newest(files, isLost)
  // A worker that writes to its file meanwhile may make it unreadable: then all are opened again.
  const reached = await newest(
    [...files, ...others],
    ({ stamp, previous }) => previous !== null && walk.reached.has(stamp),
  ).catch(() => undefined)
  if (reached === undefined) return { rows: 0, unreadable: 0, isOutdated: true }
  const batches = createRowsBatches({ ...options, after: last })
  for (const file of files) {
    for await (const found of readRows(file, epoch, (stamp) => stamp > from)) {
      if (!isLost(found)) continue
      for (const [key, row] of found.rows) {
        const id = rowId(found.collection, key)
        if (row !== null && lost.get(id) === found.stamp && (reached.get(id) ?? 0) < found.stamp)
          await batches.add(found.collection, key, row)
      }
    }
  }
  return batches.finish()
}
