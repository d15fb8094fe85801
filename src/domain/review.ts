import type { StoredEntry, TailState, ViewState } from '../contract/rows.ts'
import type { Work } from './arrive.ts'
import { rowMessage } from './arrive.ts'
import type { Line } from './line.ts'
import { isCompacted, isCut, segmentOf } from './line.ts'
import { emptyView } from './rows.ts'
import { extendTail } from './tail.ts'
import { estimateTokens } from './tokens.ts'

const lateLimit = 64

/** Counts what one view of a line shows, and finds how much of its start is hidden. */
interface Counter {
  messages: number
  tokens: number
  floor: string
  shown: string[] | undefined
  late: readonly string[]
}

/**
 * Settles `work.review` from rows in ascending order.
 *
 * @param rows - `scan`: the rows of the head line after `review.after`; `subtract`: the rows of `review.line` after `review.after`
 * @param newer - `scan` of a whole line: rows of other lanes that are newer than the head, counted by branch
 */
export function settleReview(work: Work, rows: Iterable<StoredEntry>, newer?: Readonly<Record<string, number>>): void {
  const need = work.review
  if (need === undefined) return
  if (need.kind === 'subtract') subtract(work, need.line, rows)
  else scan(work, need.after, need.contextOnly ?? false, rows)
  if (newer !== undefined) {
    work.cold = { ...work.cold, newer }
    work.coldChanged = true
  }
  work.review = undefined
}

/** Which views of a line show a row. */
export function shownIn(line: Line, row: StoredEntry): { readonly raw: boolean; readonly transcript: boolean; readonly context: boolean } {
  const segment = segmentOf(line, row)
  const transcript = segment >= 0 && row.edit?.value !== null && !isCut(line, segment, row)
  return { raw: segment >= 0, transcript, context: transcript && !isCompacted(line, segment, row) }
}

function subtract(work: Work, line: Line, rows: Iterable<StoredEntry>): void {
  const { hot } = work
  const after = hot.lineEnd
  for (const row of rows) {
    const shown = shownIn(line, row)
    const message = rowMessage(row)
    if (message === undefined) continue
    const tokens = estimateTokens(message)
    if (shown.transcript) hot.transcript = { ...hot.transcript, messages: hot.transcript.messages - 1, tokens: hot.transcript.tokens - tokens }
    if (shown.context) hot.context = { ...hot.context, messages: hot.context.messages - 1, tokens: hot.context.tokens - tokens }
  }
  hot.transcript = lower(hot.transcript, after)
  hot.context = lower(hot.context, after)
}

function lower(view: ViewState, end: string): ViewState {
  return view.floor <= end ? view : { ...view, floor: end, late: view.late.filter((order) => order <= end) }
}

function scan(work: Work, after: string, contextOnly: boolean, rows: Iterable<StoredEntry>): void {
  const { hot, line } = work
  const whole = after === ''
  const transcript = counter()
  const context = counter()
  let tail: TailState | undefined
  let lineEnd = whole ? '' : hot.lineEnd
  let lastOrder = whole ? '' : hot.lastOrder
  for (const row of rows) {
    const shown = shownIn(line, row)
    if (row.branch === hot.head && row.order > lastOrder) lastOrder = row.order
    if (!shown.raw) continue
    if (row.order > lineEnd) lineEnd = row.order
    count(transcript, row, shown.transcript)
    count(context, row, shown.context)
    if (shown.transcript) tail = extendTail(tail, row)
  }
  hot.lineEnd = lineEnd
  hot.lastOrder = lastOrder
  hot.context = settle(hot.context, context, whole)
  if (contextOnly) return
  hot.transcript = settle(hot.transcript, transcript, whole)
  if (tail === undefined) delete hot.tail
  else hot.tail = tail
}

function counter(): Counter {
  return { messages: 0, tokens: 0, floor: '', shown: [], late: [] }
}

function count(counter: Counter, row: StoredEntry, shown: boolean): void {
  if (!shown) {
    if (counter.shown !== undefined) {
      counter.floor = row.order
      counter.late = [...counter.shown]
    }
    return
  }
  if (counter.shown !== undefined) {
    if (counter.shown.length < lateLimit) counter.shown.push(row.order)
    else counter.shown = undefined
  }
  const message = rowMessage(row)
  if (message === undefined) return
  counter.messages += 1
  counter.tokens += estimateTokens(message)
}

function settle(view: ViewState, counted: Counter, whole: boolean): ViewState {
  const { messages, tokens } = counted
  return whole ? { ...emptyView, messages, tokens, floor: counted.floor, late: counted.late } : { ...view, messages, tokens }
}
