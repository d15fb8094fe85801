import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows, StoredEntry, TailState } from '../../../contract/rows.ts'
import type { View } from '../../../contract/store/session-log.ts'
import { importedMid } from '../../../domain/imported-mid.ts'
import type { Line } from '../../../domain/line.ts'
import { orderEnd, turnKey } from '../../../domain/order.ts'
import { pushAll } from '../../../domain/push-all.ts'
import { shownAmong } from '../../../domain/shown-among.ts'
import { extendTail, type LineTail } from '../../../domain/tail.ts'
import { isWithinTurn, type Writer } from '../../../domain/writer.ts'
import { countView } from './count-view.ts'
import { edgeOf } from './range-edge.ts'

/** The part of a line to read. Bounds are exclusive. */
export interface LineRead {
  readonly view: View
  readonly direction: 'forward' | 'backward'
  /** Where to start: after (forward) or before (backward) this order. */
  readonly from: string
  readonly limit: number
}

export interface LineRows {
  /** In reading order, at most `limit`. */
  readonly rows: readonly StoredEntry[]
  readonly more: boolean
  readonly skipped: number
}

/** How many entries are fetched at a time when everything is read. */
const chunk = 1024

/** Reads some visible rows of a line, and touches no more of the line than needed. */
export async function readLine(backend: CoreBackend, rows: SessionRows, line: Line, read: LineRead): Promise<LineRows> {
  const { hot, cold } = rows
  const { view, direction, from, limit } = read
  const isBackward = direction === 'backward'
  // When nothing is hidden, or copies would have to be compared first, the whole line is read.
  const hides =
    line.branch === hot.head || (cold.hasCopies !== true && (line.cuts.length > 0 || line.compaction !== undefined))
  const state = view === 'raw' || !hides ? undefined : await countView(backend, rows, line, view)
  const floor = state?.floor ?? ''
  const found: StoredEntry[] = []
  let skipped = 0

  const show = async (rows: readonly StoredEntry[]): Promise<void> => {
    const mids = cold.hasCopies === true && view !== 'raw' ? rows.flatMap((row) => importedMid(row) ?? []) : []
    const copies = mids.length === 0 ? [] : await backend.findByMid(hot.session, mids)
    for (const one of rows.map(shownAmong(line, copies))) if (one[view]) found.push(one.row)
  }

  const readRange = async (lane: number, after: string, upTo: string): Promise<void> => {
    const small = isBackward && lane === cold.lanes[hot.head] ? { small: hot.pack.from || orderEnd } : {}
    const named = new Set<string>()
    let low = after
    let high = upTo
    while (found.length <= limit) {
      const part = await backend.readRange({
        session: hot.session,
        lane,
        from: low,
        to: high,
        reverse: isBackward,
        limit: limit + 2 - found.length,
        ...small,
      })
      for (const record of part.unreadable) named.add(record)
      const rows = isBackward ? [...part.entries].reverse() : part.entries
      const fresh = rows.filter((row) => {
        if (row.order <= after || row.order > upTo || (isBackward ? row.order >= from : row.order <= from)) return false
        // The record that contains the former bound is read again.
        return isBackward ? row.order < high || high === upTo : row.order > low || low === after
      })
      await show(fresh[0]?.order === found.at(-1)?.order ? fresh.slice(1) : fresh)
      const edge = edgeOf(part, isBackward)
      if (!part.more || edge === undefined || (isBackward ? edge >= high : edge <= low)) break
      if (isBackward) high = edge
      else low = edge
    }
    skipped += named.size
  }

  const readSegments = async (): Promise<void> => {
    for (const segment of isBackward ? [...line.segments].reverse() : line.segments) {
      const lane = cold.lanes[segment.branch]
      if (lane === undefined) continue
      const low = [segment.after, floor, isBackward ? '' : from].reduce((a, b) => (a > b ? a : b))
      const high = isBackward && from < segment.upTo ? from : segment.upTo
      if (low < high) await readRange(lane, low, high)
      if (found.length > limit) return
    }
  }

  // Rows that a cut had not seen lie below its floor. They are few and are read singly.
  const readLate = async (): Promise<void> => {
    const late = (state?.late ?? []).filter((order) => (isBackward ? order < from : order > from))
    for (const order of isBackward ? [...late].reverse() : late) {
      if (found.length > limit) return
      const segment = line.segments.find(({ after, upTo }) => after < order && order <= upTo)
      const lane = segment === undefined ? undefined : cold.lanes[segment.branch]
      if (lane === undefined) continue
      const part = await backend.readRange({ session: hot.session, lane, from: order, to: order })
      await show(part.entries.filter((row) => row.order === order))
    }
  }

  if (isBackward) {
    await readSegments()
    await readLate()
  } else {
    await readLate()
    await readSegments()
  }
  const more = found.length > limit
  const page = more ? found.slice(0, limit) : found
  return { rows: isBackward ? page.reverse() : page, more, skipped }
}

/** The rows of a line's visible messages, newest first, at most this many. */
export async function readNewestMessages(
  backend: CoreBackend,
  rows: SessionRows,
  line: Line,
  view: View,
  count: number,
): Promise<readonly StoredEntry[]> {
  const messages: StoredEntry[] = []
  let from: string = orderEnd
  while (messages.length < count) {
    const page = await readLine(backend, rows, line, {
      view,
      direction: 'backward',
      from,
      limit: Math.min(chunk, count - messages.length + 16),
    })
    for (const row of [...page.rows].reverse()) if (row.type === 'message') messages.push(row)
    if (!page.more) break
    from = page.rows[0]!.order
  }
  return messages.slice(0, count)
}

/**
 * Every row of a line's view after an order, in reading order, page by page. @param onSkipped - called when records
 * could not be read
 */
export async function* readPages(
  backend: CoreBackend,
  rows: SessionRows,
  line: Line,
  view: View,
  after = '',
  onSkipped?: () => void,
): AsyncGenerator<readonly StoredEntry[], void, undefined> {
  for (let from = after; ; ) {
    const page = await readLine(backend, rows, line, { view, direction: 'forward', from, limit: chunk })
    if (page.skipped > 0) onSkipped?.()
    yield page.rows
    if (!page.more) return
    from = page.rows.at(-1)!.order
  }
}

/** Every row of a line's view in reading order. */
export async function readWholeLine(
  backend: CoreBackend,
  rows: SessionRows,
  line: Line,
  view: View,
): Promise<readonly StoredEntry[]> {
  const all: StoredEntry[] = []
  for await (const page of readPages(backend, rows, line, view)) for (const row of page) all.push(row)
  return all
}

/** The row at a place, or `undefined`. */
export async function readRow(
  backend: CoreBackend,
  { hot, cold }: SessionRows,
  branch: string,
  order: string,
): Promise<StoredEntry | undefined> {
  const lane = Object.hasOwn(cold.lanes, branch) ? cold.lanes[branch] : undefined
  if (lane === undefined || order === '') return undefined
  const part = await backend.readRange({ session: hot.session, lane, from: order, to: order })
  return part.entries.find((row) => row.order === order)
}

/** The order of a line's last row, visible or not. */
export async function readLineEnd(backend: CoreBackend, rows: SessionRows, line: Line): Promise<string> {
  if (line.branch === rows.hot.head) return rows.hot.lineEnd
  const {
    rows: [last],
  } = await readLine(backend, rows, line, { view: 'raw', direction: 'backward', from: orderEnd, limit: 1 })
  return last?.order ?? ''
}

/**
 * The tail that a writer needs; absent when the writer is within a turn on the line, or the hot row knows the tail.
 */
export async function readUnknownTail(
  backend: CoreBackend,
  rows: SessionRows,
  writer: Writer,
  line: Line,
): Promise<LineTail | undefined> {
  return isTailKnown(rows, writer, line.branch) ? undefined : readTail(backend, rows, line)
}

/** Whether a writer needs no tail of a line to be read. */
export const isTailKnown = ({ hot }: Pick<SessionRows, 'hot'>, writer: Writer, branch: string): boolean =>
  isWithinTurn(writer, branch) || (branch === hot.head && hot.tail !== undefined)

/** The tail of a line when the hot row doesn't know it: its last visible row, and the open calls of that row's turn. */
export async function readTail(backend: CoreBackend, rows: SessionRows, line: Line): Promise<LineTail | undefined> {
  const turn: StoredEntry[] = []
  let from: string = orderEnd
  for (;;) {
    const page = await readLine(backend, rows, line, { view: 'transcript', direction: 'backward', from, limit: 64 })
    const key = turnKey(turn.at(-1)?.order ?? page.rows.at(-1)?.order ?? '')
    const same = [...page.rows].reverse().filter((row) => turnKey(row.order) === key)
    pushAll(turn, same)
    if (!page.more || same.length < page.rows.length) break
    from = page.rows[0]!.order
  }
  const tail = turn.reverse().reduce<TailState | undefined>((before, row) => extendTail(before, row), undefined)
  return tail && { ...tail, lineEnd: await readLineEnd(backend, rows, line) }
}
