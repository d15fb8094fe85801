import type { RowsStamp, RowsWrite, StoredRow } from '../../contract/stored-row.ts'
import { commitLength, inParts, type MirroredRows } from './rows-text.ts'

/** What a commit changed in a collection, before it is known in which mirror it is written. */
export type RowsPart = Omit<MirroredRows, 'epoch'>

/** The rows that a commit changed, in parts that fit into frames. */
export function rowsOfCommit(
  { collection, ops }: RowsWrite,
  changed: readonly boolean[],
  stamped: RowsStamp,
): readonly RowsPart[] {
  const rows = new Map<string, StoredRow | undefined>()
  ops.forEach((op, i) => {
    // The last change of a key is what was stored.
    if (changed[i]) rows.set(op.key, op.type === 'delete' ? undefined : op.row)
  })
  const parts = [...inParts(rows, commitLength)]
  return parts.map((part, i) => ({
    ...stamped,
    part: i + 1,
    of: i === parts.length - 1 ? parts.length : 0,
    collection,
    rows: part,
  }))
}
