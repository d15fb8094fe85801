import type { Entry } from '../contract/entry.ts'
import type { EditMark, SessionRows, StoredEntry } from '../contract/rows.ts'
import { writerKey } from './address.ts'
import { arriveControl } from './arrive-control.ts'
import { compareClocks, laterClock } from './clock.ts'
import { isControl } from './control.ts'
import { editKey, editMark } from './fold.ts'
import { importedMid } from './imported-mid.ts'
import { seeRow } from './keep-seen.ts'
import { sumEdit, sumRow } from './keep-sums.ts'
import { isCompacted, isCut, segmentOf } from './line.ts'
import { isReplaced } from './meta-fields.ts'
import { proposeTitle } from './propose-title.ts'
import { endsWithPurge } from './purged-controls.ts'
import { extendTail, isSameTurn, turnOf } from './tail.ts'
import { inRanges } from './version-vector.ts'
import { hideRow, showRow } from './view-state.ts'
import type { Work } from './work.ts'
import { changeCold, knownVector, nextSequence, ownPending, rescan } from './work.ts'

/** What the store must write for an entry. */
export interface Arrival {
  /** The entry as a record holds it; absent when it was purged before it arrived, and counts for nothing. */
  readonly row?: StoredEntry
  /** An edit to cache on its target. */
  readonly mark?: { readonly branch: string; readonly order: string; readonly mark: EditMark }
}

/**
 * Applies one entry to a session's rows, with the same result as `foldEntries`. Entries of one writer must arrive in
 * sequence, each once.
 *
 * @param bytes - UTF-8 bytes of the data as JSON
 * @param target - for an `edit` the row that it changes, for a `branch` the row after which it forks, if that row is
 *   stored (a branch without it costs a scan of its line)
 * @param hasCopy - whether a stored row may be a copy of the entry; only needed when `mayHaveCopies` is true
 */
export function arrive(work: Work, entry: Entry, bytes: number, target?: StoredEntry, hasCopy = false): Arrival {
  const { hot } = work
  const isNewest = compareClocks(entry.clock, hot.clock) > 0
  const known = entry.type === 'cut' || entry.type === 'compaction' ? knownVector(work) : {}
  hot.ahead[writerKey(entry.w)] = Math.max(nextSequence(work, entry.w), entry.s + 1)
  hot.clock = laterClock(hot.clock, entry.clock)
  if (entry.at > 0) hot.createdAt = hot.createdAt === 0 ? entry.at : Math.min(hot.createdAt, entry.at)
  hot.updatedAt = Math.max(hot.updatedAt, entry.at)
  if (inRanges(work.cold.purged, entry.w, entry.s) && isGone(work, entry, target)) return {}
  hot.entries += 1
  hot.bytes += bytes
  if (!isControl(entry.type)) return { row: arriveRow(work, entry, bytes, hasCopy) }
  const row = { ...entry, bytes }
  if (entry.type === 'edit') {
    const mark = arriveEdit(work, entry, target)
    return mark === undefined ? { row } : { row, mark }
  }
  arriveControl(work, entry, known, isNewest, target)
  return { row }
}

/** Whether stored rows may be copies of an entry. An import that arrives in pieces has no copies of its own rows. */
export function mayHaveCopies({ hot, cold }: SessionRows | Work, entry: Entry): boolean {
  return (
    importedMid(entry) !== undefined &&
    (cold.importer ?? (hot.version > 0 ? '' : writerKey(entry.w))) !== writerKey(entry.w)
  )
}

function arriveRow(work: Work, entry: Entry, bytes: number, hasCopy: boolean): StoredEntry {
  const { hot, line } = work
  if (work.cold.lanes[entry.branch] === undefined)
    changeCold(work, { lanes: { ...work.cold.lanes, [entry.branch]: Object.keys(work.cold.lanes).length } })
  const edit = takePending(work, entry)
  const row: StoredEntry = edit === undefined ? { ...entry, bytes } : { ...entry, bytes, edit }
  const isLast = entry.branch === hot.head && entry.order > hot.lastOrder
  if (isLast) hot.lastOrder = entry.order
  const blocks = work.closed.length
  sumRow(work, row, isLast)
  if (importedMid(entry) !== undefined) {
    const importer = mayHaveCopies(work, entry) ? '' : writerKey(entry.w)
    if (work.cold.importer !== importer) changeCold(work, { importer })
  }
  if (hasCopy) changeCold(work, { hasCopies: true })
  if (hasCopy || isUnsettled(work, row)) rescan(work, true)
  const segment = segmentOf(line, entry)
  if (segment < 0) {
    const { heads, newer } = work.cold
    if (entry.order > (heads[hot.head] ?? ''))
      changeCold(work, { newer: { ...newer, [entry.branch]: (newer[entry.branch] ?? 0) + 1 } })
    return row
  }
  const endsLine = entry.order > hot.lineEnd
  if (endsLine) hot.lineEnd = entry.order
  if (isCut(line, segment, entry)) return row
  seeRow(work, row, endsLine, work.closed.length > blocks)
  if (edit?.value === null) return row
  proposeTitle(hot, row)
  hot.transcript = showRow(hot.transcript, row)
  if (!isCompacted(line, segment, entry)) hot.context = showRow(hot.context, row)
  moveTail(work, row, endsLine)
  return row
}

/**
 * Whether the pending review would count this row wrongly, because it relies on rows that it doesn't read, or reads
 * rows that were never counted.
 */
function isUnsettled(work: Work, row: StoredEntry): boolean {
  const { review } = work
  if (review === undefined) return false
  return review.kind === 'scan'
    ? row.order <= review.after
    : row.order > review.after && segmentOf(review.line, row) >= 0
}

/**
 * An unknown tail stays unknown until a turn is opened at the line's end; a row inside the last turn makes it unknown.
 */
function moveTail({ hot }: Work, row: StoredEntry, endsLine: boolean): void {
  if (hot.tail === undefined ? endsLine && row.turn === undefined : row.order > hot.tail.order)
    hot.tail = extendTail(hot.tail, row)
  else if (hot.tail !== undefined && isSameTurn(hot.tail.turn, turnOf(row))) delete hot.tail
}

/**
 * Whether nothing of an entry that was purged counts here. An edit or metadata that nothing here replaces does: the
 * message and the session have to read as somebody wrote them until the entry comes that did.
 */
function isGone({ cold }: Work, entry: Entry, target: StoredEntry | undefined): boolean {
  if (entry.type === 'meta') return isReplaced(cold, entry)
  if (entry.type !== 'edit') return !isControl(entry.type) || endsWithPurge(entry.type)
  if (target !== undefined && inRanges(cold.purged, target.w, target.s)) return true
  const { branch, order } = entry.data as { readonly branch: string; readonly order: string }
  const last = target === undefined ? cold.pending[editKey(branch, order)] : target.edit
  return last !== undefined && last.order >= entry.order
}

function takePending(work: Work, entry: Entry): EditMark | undefined {
  const key = editKey(entry.branch, entry.order)
  const mark = work.cold.pending[key]
  if (mark !== undefined) delete ownPending(work)[key]
  return mark
}

function arriveEdit(work: Work, entry: Entry, target: StoredEntry | undefined): Arrival['mark'] {
  const { hot, line } = work
  const mark = editMark(entry)
  const branch = entry.data['branch'] as string
  const order = entry.data['order'] as string
  if (target === undefined) {
    const key = editKey(branch, order)
    if (mark.order > (work.cold.pending[key]?.order ?? '')) ownPending(work)[key] = mark
    return undefined
  }
  if (target.edit !== undefined && target.edit.order >= mark.order) return undefined
  // An edit does not change how many rows are newer than the head.
  if (isUnsettled(work, target) || (work.cold.hasCopies === true && importedMid(target) !== undefined))
    rescan(work, true)
  const edited = { ...target, edit: mark }
  if (!inRanges(work.cold.purged, target.w, target.s)) sumEdit(work, target, edited)
  const segment = segmentOf(line, target)
  if (segment >= 0 && !isCut(line, segment, target)) {
    const gaveTitle = hot.auto?.order === order
    if (gaveTitle) delete hot.auto
    proposeTitle(hot, edited)
    // Another row must give the title now, and only a scan finds it.
    if (gaveTitle && hot.auto === undefined) rescan(work, true)
    const views = isCompacted(line, segment, target) ? (['transcript'] as const) : (['transcript', 'context'] as const)
    for (const view of views) {
      hot[view] = hideRow(hot[view], target)
      if (mark.value !== null) hot[view] = showRow(hot[view], edited)
    }
    if (hot.tail !== undefined && (order > hot.tail.order || isSameTurn(hot.tail.turn, turnOf(target)))) delete hot.tail
  }
  return { branch, order, mark }
}
