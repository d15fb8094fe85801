import type { ColdRow, CompactionRow } from '../../src/contract/rows.ts'
import type { FoldedEntry } from '../../src/domain/fold.ts'
import { isCompacted, isCut, lineAt, segmentOf } from '../../src/domain/line.ts'

/** What a model was to see at one entry of a line. */
export interface PastContext {
  /** The compaction that was active there. */
  readonly compaction?: CompactionRow
  readonly rows: readonly FoldedEntry[]
}

/**
 * The context as it was at an entry: the line up to it, with the cuts and compactions that were older than it.
 * Later edits count.
 *
 * @param rows - line entries, by order
 */
export function contextAt(
  cold: ColdRow,
  rows: readonly FoldedEntry[],
  at: { readonly branch: string; readonly order: string },
): PastContext {
  const line = lineAt(cold, { branch: at.branch, order: at.order, cuts: at.order })
  if (line === undefined) return { rows: [] }
  const visible = rows.filter((row) => {
    const segment = segmentOf(line, row)
    return segment >= 0 && row.edit?.value !== null && !isCut(line, segment, row) && !isCompacted(line, segment, row)
  })
  return { ...(line.compaction === undefined ? {} : { compaction: line.compaction.cut }), rows: visible }
}
