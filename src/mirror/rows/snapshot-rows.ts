import { abortError } from '../../formats/byte-source.ts'
import type { RowsPlace } from '../mirrored-place.ts'
import type { RowsPart } from './rows-of-commit.ts'
import { inParts, type MirroredRow, snapshotLength } from './rows-text.ts'

/** About how many bytes of rows are read at a time, and how many rows at most. */
const pageBytes = 2 ** 22
const pageRows = 256

export interface SnapshotRows {
  /** The snapshot has at least everything up to this stamp. */
  readonly stamp: number
  /** Rows that could not be read. A mirror keeps what it has of them. */
  readonly unreadable: number
}

/**
 * Reads all rows of a database. What is changed meanwhile has a frame of its own, with a higher stamp. It counts only
 * with its last part.
 *
 * @param write - gets the parts, the last one at the end
 * @throws Aborted
 */
export async function snapshotRows(
  { stored }: Pick<RowsPlace, 'stored'>,
  write: (part: RowsPart) => Promise<void> | undefined,
  signal: AbortSignal | undefined,
): Promise<SnapshotRows> {
  const stamp = await stored.lastRowsStamp()
  // A database that lost its end must not be older than the snapshot, which replaces the commits before it.
  await stored.flush?.()
  let [part, unreadable] = [0, 0]
  for (const { name, rows, bytes } of await stored.listCollections()) {
    const limit = Math.max(1, Math.min(pageRows, Math.floor(pageBytes / (bytes / rows || 1))))
    for (let from = '', isMore = true; isMore; ) {
      const page = await stored.rangeRows({ collection: name, from, reverse: false, limit })
      if (signal?.aborted) throw abortError()
      const found = page.rows.map(({ key, row }): MirroredRow => [key, row ?? null])
      unreadable += found.filter(([, row]) => row === null).length
      for (const some of inParts(found, snapshotLength))
        await write({ stamp, previous: null, part: ++part, of: 0, collection: name, rows: some })
      isMore = page.more
      // No key lies between a key and the same key with a zero behind it.
      from = `${page.rows.at(-1)?.key ?? ''}\0`
    }
  }
  await write({ stamp, previous: null, part: part + 1, of: part + 1, collection: '', rows: [] })
  return { stamp, unreadable }
}
