import { type FoundRows, type RowsFile, readRows } from './frames-of-rows.ts'
import { rowId } from './rows-text.ts'

/** Which frames of a mirror have the newest state of each row of one database. */
export interface NewestRows {
  /** Whether a frame has the newest state of a row. */
  isNewest(found: FoundRows, key: string): boolean
  /** The stamp of the newest state of a row; `undefined` if the mirror says nothing of it. */
  stampOf(id: string): number | undefined
  /** Names of all rows that the mirror says something of, deleted ones included. */
  ids(): Iterable<string>
}

/** The stamp of the newest complete snapshot; 0: there is none. */
export function newestSnapshot(files: readonly RowsFile[], epoch: string): number {
  let newest = 0
  for (const { scanned } of files)
    for (const { stamp } of scanned.epochs.get(epoch)?.snapshots ?? []) newest = Math.max(newest, stamp)
  return newest
}

/**
 * Reads which frame has the newest state of each row. A complete snapshot replaces every commit up to its stamp, except
 * for the rows that it found and could not read, and for deletions, of which it says nothing: another database may still
 * have these rows.
 *
 * @param after - what is not newer than this stamp is left out
 */
export async function findNewestRows(files: readonly RowsFile[], epoch: string, after = 0): Promise<NewestRows> {
  const found = newestSnapshot(files, epoch)
  const snapshot = found > after ? found : 0
  const newest = new Map<string, number>()
  const before = new Map<string, number>()
  const deleted = new Map<string, number>()
  const unread = new Set<string>()
  const note = (stamps: Map<string, number>, id: string, stamp: number): void =>
    void stamps.set(id, Math.max(stamps.get(id) ?? 0, stamp))
  const isOfSnapshot = ({ previous, stamp }: FoundRows): boolean => previous === null && stamp === snapshot
  const isBehind = ({ previous, stamp }: FoundRows): boolean => previous !== null && stamp > snapshot

  for (const file of files) {
    for await (const found of readRows(file, epoch, (stamp) => stamp > after)) {
      if (!found.isComplete) continue
      for (const [key, row] of found.rows) {
        const id = rowId(found.collection, key)
        if (isOfSnapshot(found) && row === null) unread.add(id)
        else if (isOfSnapshot(found) || isBehind(found)) note(newest, id, found.stamp)
        else if (row !== null) {
          note(before, id, found.stamp)
          if (row === undefined) note(deleted, id, found.stamp)
        }
      }
    }
  }
  const spared = new Map<string, number>()
  for (const id of unread) {
    const stamp = before.get(id)
    if (stamp !== undefined && !newest.has(id)) spared.set(id, stamp)
  }
  for (const [id, stamp] of deleted) if (before.get(id) === stamp && !newest.has(id)) spared.set(id, stamp)

  return {
    isNewest: (found, key) => {
      if (!found.isComplete || found.stamp <= after) return false
      const id = rowId(found.collection, key)
      const stamps = isOfSnapshot(found) || isBehind(found) ? newest : spared
      return stamps.get(id) === found.stamp
    },
    stampOf: (id) => newest.get(id) ?? spared.get(id),
    ids: function* () {
      yield* newest.keys()
      yield* spared.keys()
    },
  }
}
