import type { SequenceRanges, VersionVector } from '../../../contract/entry.ts'
import type { HotRow, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { writerKey } from '../../../domain/address.ts'
import { arrive } from '../../../domain/arrive.ts'
import { laterClock } from '../../../domain/clock.ts'
import { emptyRows } from '../../../domain/empty-rows.ts'
import { editKey } from '../../../domain/fold.ts'
import { createHashTable } from '../../../domain/hash-table.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { importedMid } from '../../../domain/imported-mid.ts'
import { nextSums } from '../../../domain/keep-sums.ts'
import { type Line, segmentOf } from '../../../domain/line.ts'
import { beginReview, type LineReview } from '../../../domain/review.ts'
import { createSequenceSet } from '../../../domain/sequence-set.ts'
import type { ShownRow } from '../../../domain/shown-among.ts'
import { inRanges, joinVectors, withoutRanges } from '../../../domain/version-vector.ts'
import { beginWork, changeCold, nextSequence, type Work } from '../../../domain/work.ts'
import { bareEntry } from '../reading/entry-view.ts'

/**
 * Rebuilds a session's rows from its entries, one after the other. Local numbers (session, lanes, version) stay. It
 * needs little memory that grows with the session: a bit for each address, and 32 bytes or less for each edit and for
 * each id of an imported row.
 */
export interface RowsBuilder {
  /** Takes a control entry. All of them come first, in ascending order. @returns whether its address is new */
  control(entry: StoredEntry): boolean
  /** The head line, after every control entry was taken. */
  line(): Line
  /**
   * Takes a line entry. Those of the branches of the head line come after all others, main first, and those of each
   * branch in ascending order.
   *
   * @param shown - which copy of a row is shown, when there are copies
   * @returns whether its address is new
   */
  row(row: StoredEntry, shown?: (row: StoredEntry) => ShownRow<StoredEntry>): boolean
  /** Whether the row is stored with another edit than the last one of the log, or may be. */
  hasOtherEdit(row: StoredEntry): boolean
  /** Whether the log has an edit of a row that did not come. */
  isPending(branch: string, order: string): boolean
  /** Addresses that a vector covers and that did not come. */
  missing(vector: VersionVector): SequenceRanges
  /** Whether imported rows with equal ids came. */
  hasCopies(): boolean
  /** The rows without `pending`. {@link isPending} says which edits belong to that. */
  finish(): SessionRows
}

const noEdit = 0
const editCame = 1

/** @param before - the old hot row, and the cold one when it can be read */
export function beginRebuild(hot: HotRow, cold?: SessionRows['cold']): RowsBuilder {
  const base = emptyRows(hot.key, hot.session)
  const work = beginWork({ hot: base.hot, cold: { ...base.cold, lanes: cold?.lanes ?? base.cold.lanes } })
  const addresses = createSequenceSet()
  const edits = createHashTable()
  const mids = createHashTable()
  const newer: Record<string, number> = {}
  let hasCopies = false
  let review: LineReview | undefined

  const editHash = (branch: string, order: string): number => hash53(editKey(branch, order))
  const begin = (): LineReview => {
    if (review !== undefined) return review
    work.review = { kind: 'scan', after: '' }
    return (review = beginReview(work, work.review))
  }

  return {
    control: (entry) => {
      if (entry.type !== 'edit') arrive(work, bareEntry(entry), entry.bytes)
      else {
        witness(work, entry)
        edits.set(editHash(entry.data['branch'] as string, entry.data['order'] as string), hash53(entry.order) + 2)
      }
      return addresses.add(entry.w, entry.s)
    },
    line: () => work.line,
    row: (row, shown) => {
      const lineReview = begin()
      witness(work, row)
      const hash = editHash(row.branch, row.order)
      if ((edits.get(hash) ?? noEdit) !== noEdit) edits.set(hash, editCame)
      if (work.cold.lanes[row.branch] === undefined)
        changeCold(work, { lanes: { ...work.cold.lanes, [row.branch]: Object.keys(work.cold.lanes).length } })
      const isNew = addresses.add(row.w, row.s)
      const isPurged = inRanges(work.cold.purged, row.w, row.s)
      const mid = isPurged ? undefined : importedMid(row)
      if (mid !== undefined) {
        hasCopies ||= mids.get(hash53(mid)) !== undefined
        mids.set(hash53(mid), 1)
        const importer = writerKey(row.w)
        if (work.cold.importer !== importer && work.cold.importer !== '')
          changeCold(work, { importer: work.cold.importer === undefined ? importer : '' })
      }
      lineReview.row(row, shown?.(row))
      if (!isPurged && row.order > (work.cold.heads[work.hot.head] ?? '') && segmentOf(work.line, row) < 0)
        newer[row.branch] = (newer[row.branch] ?? 0) + 1
      return isNew
    },
    hasOtherEdit: ({ branch, order, edit }) => {
      const last = edits.get(editHash(branch, order)) ?? noEdit
      return last !== noEdit && last !== editCame && (edit === undefined || hash53(edit.order) + 2 !== last)
    },
    isPending: (branch, order) => (edits.get(editHash(branch, order)) ?? noEdit) > editCame,
    missing: addresses.missing,
    hasCopies: () => hasCopies,
    finish: () => {
      begin().finish(newer)
      if (hasCopies) changeCold(work, { hasCopies: true })
      const {
        hot: { open: _, seen: __, ...made },
      } = work
      // Known addresses stay known, so that no sequence number is used twice. The lost ones among them may come back
      // from another device.
      const vv = joinVectors(joinVectors(work.cold.vv, made.ahead), joinVectors(cold?.vv ?? {}, hot.ahead))
      const lost = withoutRanges(addresses.missing(vv), work.cold.purged)
      return {
        hot: {
          ...made,
          version: hot.version,
          coldVersion: hot.version,
          operations: hot.operations,
          recent: hot.recent,
          ahead: {},
          pack: { from: '', count: 0 },
          sums: nextSums(hot),
          ...(hot.restarted === undefined ? {} : { restarted: hot.restarted }),
          ...(hot.formerly === undefined ? {} : { formerly: hot.formerly }),
        },
        cold: { ...work.cold, vv, ...(Object.keys(lost).length === 0 ? {} : { lost }) },
      }
    },
  }
}

/** Takes in the facts that every stored entry has, whatever its type. */
function witness(work: Work, { w, s, clock, at, bytes }: StoredEntry): void {
  const { hot } = work
  hot.ahead[writerKey(w)] = Math.max(nextSequence(work, w), s + 1)
  hot.clock = laterClock(hot.clock, clock)
  if (at > 0) hot.createdAt = hot.createdAt === 0 ? at : Math.min(hot.createdAt, at)
  hot.updatedAt = Math.max(hot.updatedAt, at)
  hot.entries += 1
  hot.bytes += bytes
}
