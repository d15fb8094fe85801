import type { StoredEntry, TailState } from '../contract/rows.ts'
import { proposeTitle } from './propose-title.ts'
import { shownAmong } from './shown-among.ts'
import { shownIn } from './shown-in.ts'
import { extendTail } from './tail.ts'
import { countRow, createViewCounter, lowerFloor } from './view-state.ts'
import type { ReviewNeed, Work } from './work.ts'

/**
 * Settles `work.review` from rows in ascending order.
 *
 * @param rows - `scan`: the rows of the head line after `review.after`; `subtract`: the rows of `review.line` after `review.after`
 * @param newer - `scan` of a whole line (`after` is `''`): rows off the head line with an order after the head's clock, counted by branch
 */
export function settleReview(work: Work, rows: readonly StoredEntry[], newer?: Readonly<Record<string, number>>): void {
  const need = work.review
  if (need === undefined) return
  if (need.kind === 'subtract') subtract(work, need, rows)
  else scan(work, need, rows)
  if (newer !== undefined) {
    work.cold = { ...work.cold, newer }
    work.coldChanged = true
  }
  work.review = undefined
}

function subtract({ hot }: Work, { line, after }: ReviewNeed & { kind: 'subtract' }, rows: Iterable<StoredEntry>): void {
  for (const row of rows) {
    const shown = shownIn(line, row)
    if (shown.transcript) hot.transcript = countRow(hot.transcript, row, -1)
    if (shown.context) hot.context = countRow(hot.context, row, -1)
  }
  hot.transcript = lowerFloor(hot.transcript, after)
  hot.context = lowerFloor(hot.context, after)
}

function scan({ hot, cold, line }: Work, { after, contextOnly }: ReviewNeed & { kind: 'scan' }, rows: readonly StoredEntry[]): void {
  const isWhole = after === ''
  const transcript = createViewCounter()
  const context = createViewCounter()
  let tail: TailState | undefined
  if (!contextOnly) delete hot.auto
  if (isWhole) {
    hot.lineEnd = ''
    // Rows of a branch that sort before its opener stand on no line, but they lie in its lane.
    hot.lastOrder = line.segments.at(-1)!.after
  }
  const shownOnLine = shownAmong(line, cold.hasCopies === true ? rows : [])
  for (const stored of rows) {
    if (stored.branch === hot.head && stored.order > hot.lastOrder) hot.lastOrder = stored.order
    const { row, ...shown } = shownOnLine(stored)
    if (!shown.raw) continue
    if (row.order > hot.lineEnd) hot.lineEnd = row.order
    transcript.add(row, shown.transcript)
    context.add(row, shown.context)
    if (!shown.transcript) continue
    tail = extendTail(tail, row)
    proposeTitle(hot, row)
  }
  const views = { transcript: transcript.view(), context: context.view() }
  for (const view of contextOnly ? (['context'] as const) : (['transcript', 'context'] as const)) {
    const { messages, tokens } = views[view]
    hot[view] = isWhole ? views[view] : { ...hot[view], messages, tokens }
  }
  if (contextOnly) return
  if (tail === undefined) delete hot.tail
  else hot.tail = tail
}
