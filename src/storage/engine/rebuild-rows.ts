import type { SequenceRanges } from '../../contract/entry.ts'
import type { HotRow, SessionRows, StoredEntry } from '../../contract/rows.ts'
import { arrive, beginWork } from '../../domain/arrive.ts'
import { isControl } from '../../domain/control.ts'
import { editKey, foldEntries } from '../../domain/fold.ts'
import { hasCopies } from '../../domain/has-copies.ts'
import { nextSums } from '../../domain/keep-sums.ts'
import { segmentOf } from '../../domain/line.ts'
import { settleReview } from '../../domain/review.ts'
import { emptyRows } from '../../domain/rows.ts'
import { joinVectors, rangesBetween, withoutRanges } from '../../domain/version-vector.ts'
import { changeCold } from '../../domain/work.ts'
import { bareEntry } from './entry-view.ts'

/** Entries that the rows know of and that are neither stored nor purged. */
export function missingEntries({ hot, cold }: SessionRows, entries: readonly StoredEntry[]): SequenceRanges {
  return withoutRanges(rangesBetween(joinVectors(cold.vv, hot.ahead), entries), cold.purged)
}

/** A session's rows made anew from its entries. Local numbers (session, lanes, version) stay. */
export function rebuildRows(hot: HotRow, entries: readonly StoredEntry[], cold?: SessionRows['cold']): SessionRows {
  const base = emptyRows(hot.key, hot.session)
  const fold = foldEntries(entries.map(bareEntry))
  const work = beginWork({ hot: base.hot, cold: { ...base.cold, lanes: cold?.lanes ?? base.cold.lanes } })
  // Control entries first: then each row is counted once, by the final line.
  for (const row of entries) if (isControl(row.type) && row.type !== 'edit') arrive(work, bareEntry(row), row.bytes)
  for (const row of entries) if (isControl(row.type) && row.type === 'edit') arrive(work, bareEntry(row), row.bytes)
  const rows: StoredEntry[] = []
  for (const row of entries) {
    if (isControl(row.type)) continue
    const arrived = arrive(work, bareEntry(row), row.bytes).row
    if (arrived !== undefined) rows.push(arrived)
  }
  const byPlace = new Map(fold.rows.map((row) => [editKey(row.branch, row.order), row.edit]))
  const ordered = rows
    .map((row) => {
      const edit = byPlace.get(editKey(row.branch, row.order))
      return edit === undefined ? row : { ...row, edit }
    })
    .sort((a, b) => (a.order < b.order ? -1 : 1))
  if (hasCopies(ordered)) changeCold(work, { hasCopies: true })
  work.review = { kind: 'scan', after: '' }
  settleReview(work, ordered.filter((row) => segmentOf(work.line, row) >= 0 || row.branch === work.hot.head), fold.cold.newer)
  const { hot: { open: _, seen: __, ...made } } = work
  // What was known stays known, so that no sequence number is used twice; what of it is gone may come back from another device.
  const vv = joinVectors(joinVectors(work.cold.vv, made.ahead), joinVectors(cold?.vv ?? {}, hot.ahead))
  const lost = missingEntries({ hot: { ...made, ahead: {} }, cold: { ...work.cold, vv } }, entries)
  return {
    hot: {
      ...made, version: hot.version, coldVersion: hot.version, operations: hot.operations, recent: hot.recent, ahead: {}, pack: { from: '', count: 0 }, sums: nextSums(hot),
      ...(hot.restarted === undefined ? {} : { restarted: hot.restarted }),
      ...(hot.formerly === undefined ? {} : { formerly: hot.formerly }),
    },
    cold: { ...work.cold, vv, pending: fold.cold.pending, ...(Object.keys(lost).length === 0 ? {} : { lost }) },
  }
}
