import type { Entry, Fork, VersionVector } from '../contract/entry.ts'
import { isControl } from './control.ts'
import type { JsonObject } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import type { ColdRow, CutRow, EditMark, HotRow, SessionRows, StoredEntry, ViewState } from '../contract/rows.ts'
import { entryId, writerKey } from './address.ts'
import { laterClock } from './clock.ts'
import { branchRow, checkpointRow, compactionRow, cutRow, editKey, editMark, metaTarget, setFields } from './fold.ts'
import type { Line } from './line.ts'
import { isCompacted, isCut, lineOf, resolveHead, segmentOf } from './line.ts'
import { extendTail } from './tail.ts'
import { automaticTitle } from './title.ts'
import { estimateTokens } from './tokens.ts'
import { includesVector, inRanges, joinRanges, joinVectors } from './version-vector.ts'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The counts that can't be kept current from the entry alone; the store reads the named rows and calls `review`. */
export type ReviewNeed =
  /** Count the head line again (or only its context view), from the rows after this order. */
  | { readonly kind: 'scan'; readonly after: string; readonly contextOnly?: boolean }
  /** The head moved to a branch of the line it was on: subtract the old line's rows after this order. */
  | { readonly kind: 'subtract'; readonly line: Line; readonly after: string }

/** A session's rows while entries arrive. Nothing of the rows it was made from is changed. */
export interface Work {
  hot: Mutable<HotRow>
  cold: ColdRow
  coldChanged: boolean
  /** The head line. */
  line: Line
  review: ReviewNeed | undefined
}

/** What the store has to write for an entry. */
export interface Arrival {
  /** The entry as a record holds it; absent when it was purged before it came. */
  readonly row?: StoredEntry
  /** An edit to cache on its target. */
  readonly mark?: { readonly branch: string; readonly order: string; readonly mark: EditMark }
}

/** Most rows below the floor that are remembered singly; with more, the floor falls to the start. */
const lateLimit = 64

export function beginWork(rows: SessionRows): Work {
  const { hot, cold } = rows
  return { hot: { ...hot, ahead: { ...hot.ahead } }, cold, coldChanged: false, line: lineOf(cold, hot.head)!, review: undefined }
}

/** Everything known to this device: what a cut or checkpoint made now has seen. */
export function knownVector(rows: SessionRows | Work): VersionVector {
  return joinVectors(rows.cold.vv, rows.hot.ahead)
}

/** The next sequence number of a writer. */
export function nextSequence(rows: SessionRows | Work, w: number): number {
  const writer = writerKey(w)
  return Math.max(rows.cold.vv[writer] ?? 0, rows.hot.ahead[writer] ?? 0)
}

/**
 * Takes one entry in: the incremental twin of `foldEntries`.
 *
 * @param bytes - UTF-8 bytes of the data as JSON
 * @param target - for an `edit`, the row it names, when it is there
 * @param isLocal - the entry was made from these very rows, so it has seen everything in them
 */
export function arrive(work: Work, entry: Entry, bytes: number, target?: StoredEntry, isLocal = false): Arrival {
  const { hot } = work
  const sawAll = isLocal ? undefined : knownVector(work)
  const writer = writerKey(entry.w)
  const ahead = hot.ahead as Record<string, number>
  if (entry.s >= Math.max(ahead[writer] ?? 0, work.cold.vv[writer] ?? 0)) ahead[writer] = entry.s + 1
  hot.clock = laterClock(laterClock(hot.clock, entry.clock), entry.turn ?? entry.clock)
  hot.createdAt = hot.createdAt === 0 ? entry.at : Math.min(hot.createdAt, entry.at)
  hot.updatedAt = Math.max(hot.updatedAt, entry.at)
  if (isControl(entry.type)) {
    hot.entries += 1
    hot.bytes += bytes
    const mark = arriveControl(work, entry, target, sawAll)
    return { row: { ...entry, bytes }, ...(mark === undefined ? {} : { mark }) }
  }
  if (inRanges(work.cold.purged, entry.w, entry.s)) return {}
  hot.entries += 1
  hot.bytes += bytes
  return { row: arriveRow(work, entry, bytes) }
}

function arriveRow(work: Work, entry: Entry, bytes: number): StoredEntry {
  const { hot } = work
  if (work.cold.lanes[entry.branch] === undefined) changeCold(work, { lanes: { ...work.cold.lanes, [entry.branch]: Object.keys(work.cold.lanes).length } })
  const edit = takePending(work, entry)
  const row: StoredEntry = edit === undefined ? { ...entry, bytes } : { ...entry, bytes, edit }
  if (entry.branch === hot.head && entry.order > hot.lastOrder) hot.lastOrder = entry.order
  proposeTitle(hot, entry)
  const segment = segmentOf(work.line, entry)
  if (segment < 0) {
    if (entry.order > (work.cold.heads[hot.head] ?? '')) changeCold(work, { newer: { ...work.cold.newer, [entry.branch]: (work.cold.newer[entry.branch] ?? 0) + 1 } })
    return row
  }
  const endsLine = entry.order > hot.lineEnd
  if (endsLine) hot.lineEnd = entry.order
  if (edit?.value === null || isCut(work.line, segment, entry)) return row
  hot.transcript = showRow(hot.transcript, row)
  if (!isCompacted(work.line, segment, entry)) hot.context = showRow(hot.context, row)
  // An unknown tail stays unknown until an entry opens a turn at the line's end.
  if (hot.tail !== undefined || (endsLine && entry.turn === undefined)) hot.tail = extendTail(hot.tail, row)
  return row
}

/** The message of a row as it reads now; `undefined` for other types and removed rows. */
export function rowMessage(row: Pick<StoredEntry, 'type' | 'data' | 'edit'>): Message | undefined {
  if (row.type !== 'message') return undefined
  const data = row.edit === undefined ? row.data : row.edit.value
  return data?.['message'] as Message | undefined
}

function showRow(view: ViewState, row: StoredEntry): ViewState {
  const message = rowMessage(row)
  const counted = message === undefined ? view : { ...view, messages: view.messages + 1, tokens: view.tokens + estimateTokens(message) }
  if (row.order > view.floor) return counted
  return view.late.length < lateLimit ? { ...counted, late: [...view.late, row.order].sort() } : { ...counted, floor: '', late: [] }
}

function proposeTitle(hot: Mutable<HotRow>, entry: Entry): void {
  if (entry.type !== 'message' || (hot.auto !== undefined && hot.auto.order <= entry.order)) return
  const message = entry.data['message'] as Message
  if (message.role !== 'user') return
  const title = automaticTitle(message)
  if (title !== '') hot.auto = { order: entry.order, title }
}

function changeCold(work: Work, change: Partial<ColdRow>): void {
  work.cold = { ...work.cold, ...change }
  work.coldChanged = true
}

function takePending(work: Work, entry: Entry): EditMark | undefined {
  const key = editKey(entry.branch, entry.order)
  const { [key]: mark, ...pending } = work.cold.pending
  if (mark !== undefined) changeCold(work, { pending })
  return mark
}

function arriveControl(work: Work, entry: Entry, target: StoredEntry | undefined, known: VersionVector | undefined): Arrival['mark'] {
  const id = entryId(entry.w, entry.s)
  const { cold, hot } = work
  const data = entry.data
  switch (entry.type) {
    case 'branch': {
      const heads = data['head'] === true && entry.order > (cold.heads[id] ?? '') ? { ...cold.heads, [id]: entry.order } : cold.heads
      changeCold(work, { branches: { ...cold.branches, [id]: branchRow(entry) }, heads })
      if (resolveHead(work.cold) !== hot.head || heads !== cold.heads) moveHead(work, known === undefined, known === undefined ? entry : undefined)
      return undefined
    }
    case 'head': {
      const branch = data['branch'] as string
      if (entry.order > (cold.heads[branch] ?? '')) changeCold(work, { heads: { ...cold.heads, [branch]: entry.order } })
      moveHead(work, known === undefined)
      return undefined
    }
    case 'cut': {
      const cut = cutRow(entry)
      changeCold(work, { cuts: [...cold.cuts, cut].sort(byClock) })
      work.line = lineOf(work.cold, hot.head)!
      const applies = work.line.cuts.some((other) => other.cut.clock === cut.clock)
      if (applies) hideRows(work, cut, known === undefined || includesVector(cut.vv, known), false)
      return undefined
    }
    case 'compaction': {
      const before = work.line.compaction?.cut
      changeCold(work, { compactions: [...cold.compactions, compactionRow(entry)].sort(byClock) })
      work.line = lineOf(work.cold, hot.head)!
      const cut = compactionRow(entry)
      if (work.line.compaction?.cut.clock !== entry.order) return undefined
      const sawAll = (known === undefined || includesVector(cut.vv, known)) && (before === undefined || before.order <= cut.order)
      hideRows(work, cut, sawAll, true)
      return undefined
    }
    case 'edit':
      return arriveEdit(work, entry, target)
    case 'meta':
      arriveMeta(work, entry)
      return undefined
    case 'checkpoint':
      changeCold(work, { checkpoints: { ...cold.checkpoints, [id]: checkpointRow(entry) } })
      return undefined
    case 'delete':
    case 'undelete': {
      if (cold.deletion !== undefined && cold.deletion.clock >= entry.order) return undefined
      const deleted = entry.type === 'delete'
      changeCold(work, { deletion: { clock: entry.order, deleted, at: entry.at, vv: deleted ? (data['vv'] as VersionVector) : {} } })
      if (deleted) hot.deletedAt = entry.at
      else delete hot.deletedAt
      return undefined
    }
    case 'purge':
      changeCold(work, { purged: joinRanges(cold.purged, data['ranges'] as ColdRow['purged']) })
      work.line = lineOf(work.cold, hot.head)!
      // What a device purges itself was visible nowhere; what another one purged may be visible here.
      if (known !== undefined) rescan(work)
      return undefined
  }
  return undefined
}

function byClock(a: { readonly clock: string }, b: { readonly clock: string }): number {
  return a.clock < b.clock ? -1 : 1
}

function rescan(work: Work): void {
  work.review = { kind: 'scan', after: '' }
  delete work.hot.tail
}

/** @param opened - a `branch` entry that was made from these rows */
function moveHead(work: Work, isLocal: boolean, opened?: Entry): void {
  const { hot } = work
  const before = work.line
  const head = resolveHead(work.cold)
  work.line = lineOf(work.cold, head)!
  // Everything a local act had seen is older than it, so nothing is newer than the head now.
  if (isLocal) changeCold(work, { newer: {} })
  if (head === hot.head) {
    if (!isLocal) rescan(work)
    return
  }
  hot.head = head
  hot.pack = { full: '', loose: '', count: 0 }
  const fork = opened !== undefined && entryId(opened.w, opened.s) === head ? branchRow(opened).fork : undefined
  if (fork === undefined || work.review !== undefined || !staysOnLine(fork, before)) return rescan(work)
  work.review = { kind: 'subtract', line: before, after: fork.order }
  hot.lastOrder = ''
  hot.lineEnd = fork.order
  delete hot.tail
}

/** Whether a branch shows just what the line it leaves shows up to the fork. */
function staysOnLine(fork: Fork, line: Line): boolean {
  if (fork.vv !== undefined || fork.cuts !== undefined) return false
  return fork.order === '' || line.segments.some((segment) => segment.branch === fork.branch && segment.after < fork.order && fork.order <= segment.upTo)
}

/** A cut (both views) or a compaction (the context only) came to apply to the head line. */
function hideRows(work: Work, cut: CutRow, sawAll: boolean, contextOnly: boolean): void {
  const { hot, line } = work
  const isOwnBranch = cut.branch === line.branch
  if (!sawAll || !isOwnBranch || work.review !== undefined) return rescan(work)
  const floor = cut.order < hot.lineEnd ? cut.order : hot.lineEnd
  const raise = (view: ViewState): ViewState => ({ ...view, floor: floor > view.floor ? floor : view.floor, late: view.late.filter((order) => order > floor) })
  hot.context = raise(hot.context)
  if (!contextOnly) {
    hot.transcript = raise(hot.transcript)
    delete hot.tail
  }
  const counted = contextOnly ? hot.context : hot.transcript
  work.review = { kind: 'scan', after: counted.late.length > 0 ? '' : counted.floor, contextOnly }
}

function arriveEdit(work: Work, entry: Entry, target: StoredEntry | undefined): Arrival['mark'] {
  const { hot } = work
  const mark = editMark(entry)
  const branch = entry.data['branch'] as string
  const order = entry.data['order'] as string
  if (target === undefined) {
    const key = editKey(branch, order)
    if (mark.order > (work.cold.pending[key]?.order ?? '')) changeCold(work, { pending: { ...work.cold.pending, [key]: mark } })
    return undefined
  }
  if (target.edit !== undefined && target.edit.order >= mark.order) return undefined
  const segment = segmentOf(work.line, target)
  if (segment >= 0 && !isCut(work.line, segment, target)) {
    const after = { ...target, edit: mark }
    hot.transcript = replaceRow(hot.transcript, target, after)
    if (!isCompacted(work.line, segment, target)) hot.context = replaceRow(hot.context, target, after)
    if (hot.tail !== undefined && (order >= hot.tail.order || order.startsWith(hot.tail.order.slice(0, 20)))) delete hot.tail
  }
  return { branch, order, mark }
}

function replaceRow(view: ViewState, before: StoredEntry, after: StoredEntry): ViewState {
  const old = rowMessage(before)
  const now = rowMessage(after)
  const wasShown = before.edit?.value !== null
  const isShown = after.edit?.value !== null
  const counted = {
    ...view,
    messages: view.messages + (now === undefined ? 0 : 1) - (old === undefined ? 0 : 1),
    tokens: view.tokens + (now === undefined ? 0 : estimateTokens(now)) - (old === undefined ? 0 : estimateTokens(old)),
  }
  if (before.order > view.floor || wasShown === isShown) return counted
  if (!isShown) return { ...counted, late: view.late.filter((order) => order !== before.order) }
  return view.late.length < lateLimit ? { ...counted, late: [...view.late, before.order].sort() } : { ...counted, floor: '', late: [] }
}

/** Fields a list shows are mirrored in the hot row. */
const listed = ['title', 'archived', 'tags', 'agentId', 'userId'] as const

function arriveMeta(work: Work, entry: Entry): void {
  const { cold, hot } = work
  const set = entry.data['set'] as JsonObject
  const target = metaTarget(entry)
  if (target !== undefined) {
    changeCold(work, { targets: { ...cold.targets, [target]: setFields(cold.targets[target] ?? {}, entry.order, set) } })
    if (resolveHead(work.cold) !== hot.head) moveHead(work, false)
    return
  }
  changeCold(work, { fields: setFields(cold.fields, entry.order, set) })
  const row = hot as Record<string, unknown>
  for (const field of listed) {
    const value = work.cold.fields[field]?.[1]
    if (value === undefined || value === null) delete row[field]
    else row[field] = value
  }
}
