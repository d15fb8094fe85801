import type { Entry, VersionVector } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import type { ColdRow, CutRow, EditMark, SessionRows, StoredEntry } from '../contract/rows.ts'
import { entryId, writerKey } from './address.ts'
import { compareClocks, laterClock } from './clock.ts'
import { isControl } from './control.ts'
import { deletionRow, laterDeletion } from './deletion.ts'
import { branchRow, checkpointRow, compactionRow, cutRow, editKey, editMark, metaTarget, setFields } from './fold.ts'
import { hasCopiesAfter, importedMid } from './imported-mid.ts'
import { cutSeen, seeRow } from './keep-seen.ts'
import { sumEdit, sumRow, voidSums } from './keep-sums.ts'
import { isCompacted, isCut, lineOf, segmentOf } from './line.ts'
import { moveHead } from './move-head.ts'
import { proposeTitle } from './propose-title.ts'
import { extendTail, isSameTurn, turnOf } from './tail.ts'
import { includesVector, inRanges, joinRanges } from './version-vector.ts'
import { hideRow, raiseFloor, showRow } from './view-state.ts'
import type { Work } from './work.ts'
import { changeCold, knownVector, nextSequence, rescan } from './work.ts'

export { rowMessage } from './view-state.ts'
export { beginWork, knownVector, nextSequence, type ReviewNeed, type Work } from './work.ts'

/** What the store has to write for an entry. */
export interface Arrival {
  /** The entry as a record holds it; absent when it was purged before it came. */
  readonly row?: StoredEntry
  /** An edit to cache on its target. */
  readonly mark?: { readonly branch: string; readonly order: string; readonly mark: EditMark }
}

/**
 * Takes one entry in: the incremental twin of `foldEntries`. Entries of one writer come in sequence, each once.
 *
 * @param bytes - UTF-8 bytes of the data as JSON
 * @param target - for an `edit` the row it names, for a `branch` the row it leaves after, when that is there (a branch without one
 * costs a scan of its line)
 * @param hasCopy - whether a row that is here may be a copy of it; only asked for where `mayHaveCopies`
 */
export function arrive(work: Work, entry: Entry, bytes: number, target?: StoredEntry, hasCopy = false): Arrival {
  const { hot } = work
  // Later than everything here, so whoever wrote it may count on what is here being older.
  const isNewest = compareClocks(entry.clock, hot.clock) > 0
  const known = entry.type === 'cut' || entry.type === 'compaction' ? knownVector(work) : {}
  hot.ahead[writerKey(entry.w)] = Math.max(nextSequence(work, entry.w), entry.s + 1)
  hot.clock = laterClock(hot.clock, entry.clock)
  if (entry.at > 0) hot.createdAt = hot.createdAt === 0 ? entry.at : Math.min(hot.createdAt, entry.at)
  hot.updatedAt = Math.max(hot.updatedAt, entry.at)
  if (!isControl(entry.type) && inRanges(work.cold.purged, entry.w, entry.s)) return {}
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

/** Whether rows that are here may be copies of an entry. An import that comes in pieces need not be held against itself. */
export function mayHaveCopies({ hot, cold }: SessionRows | Work, entry: Entry): boolean {
  return importedMid(entry) !== undefined && (cold.importer ?? (hot.version > 0 ? '' : writerKey(entry.w))) !== writerKey(entry.w)
}

function arriveRow(work: Work, entry: Entry, bytes: number, hasCopy: boolean): StoredEntry {
  const { hot, line } = work
  if (work.cold.lanes[entry.branch] === undefined) changeCold(work, { lanes: { ...work.cold.lanes, [entry.branch]: Object.keys(work.cold.lanes).length } })
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
    if (entry.order > (heads[hot.head] ?? '')) changeCold(work, { newer: { ...newer, [entry.branch]: (newer[entry.branch] ?? 0) + 1 } })
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

/** Whether a review that is due would count this row wrongly, as it counts on rows it doesn't read, or reads rows that were never counted. */
function isUnsettled(work: Work, row: StoredEntry): boolean {
  const { review } = work
  if (review === undefined) return false
  return review.kind === 'scan' ? row.order <= review.after : row.order > review.after && segmentOf(review.line, row) >= 0
}

/** An unknown tail stays unknown until a turn is opened at the line's end; a row inside the last turn makes it unknown. */
function moveTail({ hot }: Work, row: StoredEntry, endsLine: boolean): void {
  if (hot.tail === undefined ? endsLine && row.turn === undefined : row.order > hot.tail.order) hot.tail = extendTail(hot.tail, row)
  else if (hot.tail !== undefined && isSameTurn(hot.tail.turn, turnOf(row))) delete hot.tail
}

function takePending(work: Work, entry: Entry): EditMark | undefined {
  if (Object.keys(work.cold.pending).length === 0) return undefined
  const { [editKey(entry.branch, entry.order)]: mark, ...pending } = work.cold.pending
  if (mark !== undefined) changeCold(work, { pending })
  return mark
}

/** @param known - what was here before the entry (for cuts and compactions) */
function arriveControl(work: Work, entry: Entry, known: VersionVector, isNewest: boolean, target: StoredEntry | undefined): void {
  const id = entryId(entry.w, entry.s)
  const { cold, hot } = work
  const { data } = entry
  switch (entry.type) {
    case 'branch': {
      const heads = data['head'] === true && entry.order > (cold.heads[id] ?? '') ? { ...cold.heads, [id]: entry.order } : cold.heads
      changeCold(work, { branches: { ...cold.branches, [id]: branchRow(entry) }, heads })
      return moveHead(work, cold, isNewest ? entry.order : undefined, target)
    }
    case 'head': {
      const branch = data['branch'] as string
      if (entry.order <= (cold.heads[branch] ?? '')) return
      changeCold(work, { heads: { ...cold.heads, [branch]: entry.order } })
      return moveHead(work, cold, isNewest ? entry.order : undefined)
    }
    case 'cut': {
      const cut = cutRow(entry)
      changeCold(work, { cuts: [...cold.cuts, cut].sort(byClock) })
      work.line = lineOf(work.cold, hot.head)!
      if (!work.line.cuts.some((applied) => applied.cut === cut)) return
      cutSeen(work, cut, includesVector(cut.vv, known))
      return hideRows(work, cut, includesVector(cut.vv, known), false)
    }
    case 'compaction': {
      const cut = compactionRow(entry)
      const before = work.line.compaction?.cut
      changeCold(work, { compactions: [...cold.compactions, cut].sort(byClock) })
      work.line = lineOf(work.cold, hot.head)!
      if (work.line.compaction?.cut !== cut) return
      return hideRows(work, cut, includesVector(cut.vv, known) && (before === undefined || before.order <= cut.order), true)
    }
    case 'meta':
      return arriveMeta(work, entry)
    case 'checkpoint':
      return changeCold(work, { checkpoints: { ...cold.checkpoints, [id]: checkpointRow(entry) } })
    case 'delete':
    case 'undelete': {
      const deletion = laterDeletion(cold.deletion, deletionRow(entry))
      if (deletion === cold.deletion) return
      changeCold(work, { deletion })
      for (const field of ['deletedAt', 'kept', 'life'] as const) delete hot[field]
      const { deleted, at, kept, life } = deletion
      Object.assign(hot, deleted ? { deletedAt: at } : {}, kept && { kept }, life !== undefined && { life })
      return
    }
    case 'purge':
      changeCold(work, { purged: joinRanges(cold.purged, data['ranges'] as ColdRow['purged']) })
      work.line = lineOf(work.cold, hot.head)!
      voidSums(work)
      return rescan(work)
  }
}

function byClock(a: { readonly clock: string }, b: { readonly clock: string }): number {
  return a.clock < b.clock ? -1 : 1
}

/**
 * A cut (of both views) or a compaction (of the context only) came to apply to the head line. When it had seen everything up to its
 * order, only what is left needs to be counted again.
 */
function hideRows(work: Work, cut: CutRow, sawAll: boolean, contextOnly: boolean): void {
  const { hot, line } = work
  const coversLine = cut.branch === line.branch
  const floor = cut.order < hot.lineEnd ? cut.order : hot.lineEnd
  // Of rows that may have copies behind it, only all of those together tell which stands.
  if (!sawAll || !coversLine || work.review !== undefined || hasCopiesAfter(work.cold, floor)) return rescan(work, true)
  hot.context = raiseFloor(hot.context, floor)
  if (!contextOnly) {
    hot.transcript = raiseFloor(hot.transcript, floor)
    delete hot.tail
  }
  const { floor: after, late } = contextOnly ? hot.context : hot.transcript
  if (late.length > 0) rescan(work, true)
  else work.review = { kind: 'scan', after, contextOnly }
}

function arriveEdit(work: Work, entry: Entry, target: StoredEntry | undefined): Arrival['mark'] {
  const { hot, line } = work
  const mark = editMark(entry)
  const branch = entry.data['branch'] as string
  const order = entry.data['order'] as string
  if (target === undefined) {
    const key = editKey(branch, order)
    if (mark.order > (work.cold.pending[key]?.order ?? '')) changeCold(work, { pending: { ...work.cold.pending, [key]: mark } })
    return undefined
  }
  if (target.edit !== undefined && target.edit.order >= mark.order) return undefined
  // An edit changes nothing in what is newer than the head.
  if (isUnsettled(work, target) || (work.cold.hasCopies === true && importedMid(target) !== undefined)) rescan(work, true)
  const edited = { ...target, edit: mark }
  if (!inRanges(work.cold.purged, target.w, target.s)) sumEdit(work, target, edited)
  const segment = segmentOf(line, target)
  if (segment >= 0 && !isCut(line, segment, target)) {
    const gaveTitle = hot.auto?.order === order
    if (gaveTitle) delete hot.auto
    proposeTitle(hot, edited)
    // The next one is not known.
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

/** Fields a list shows are mirrored in the hot row. */
const listed = ['title', 'suggestedTitle', 'archived', 'tags', 'agentId', 'userId', 'promotedTo', 'restartedAt'] as const

function arriveMeta(work: Work, entry: Entry): void {
  const { cold, hot } = work
  const set = entry.data['set'] as JsonObject
  const target = metaTarget(entry)
  if (target !== undefined) {
    changeCold(work, { targets: { ...cold.targets, [target]: setFields(cold.targets[target] ?? {}, entry.order, set) } })
    return moveHead(work, cold, undefined)
  }
  changeCold(work, { fields: setFields(cold.fields, entry.order, set) })
  const row = hot as Record<string, unknown>
  for (const field of listed) {
    const value = work.cold.fields[field]?.[1]
    if (value === undefined || value === null) delete row[field]
    else row[field] = value
  }
  // Another device's copy of the history this one was made of says so too.
  if (hot.promotedTo === hot.key) delete hot.promotedTo
}
