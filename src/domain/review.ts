import type { StoredEntry, TailState } from '../contract/rows.ts'
import type { BlockSum } from '../contract/sums.ts'
import { proposeTitle } from './propose-title.ts'
import { type ShownRow, shownAmong } from './shown-among.ts'
import { type Shown, shownIn } from './shown-in.ts'
import { extendTail } from './tail.ts'
import { countBlock, countRow, createViewCounter, lowerFloor } from './view-state.ts'
import type { ReviewNeed, Work } from './work.ts'

/** Receives the content of a line in ascending order: rows, and blocks of which each view shows all rows or none. */
export interface LineReview {
  /** @param shown - which views show the row, and which copy of it, when not all copies were given at the start */
  row(row: StoredEntry, shown?: ShownRow<StoredEntry>): void
  /** Whether the rows of a block must be given in its place. */
  needsRows(block: BlockSum, shown: Shown): boolean
  block(block: BlockSum, shown: Shown, branch: string): void
  /**
   * @param newer - `scan` of a whole line: rows off the head line with an order after the head's clock, counted by
   *   branch
   */
  finish(newer?: Readonly<Record<string, number>>): void
}

/**
 * Settles `work.review` from rows in ascending order.
 *
 * @param rows - `scan`: the rows of the head line after `review.after`; `subtract`: the rows of `review.line` after
 *   `review.after`
 * @param newer - `scan` of a whole line (`after` is `''`): rows off the head line with an order after the head's clock,
 *   counted by branch
 */
export function settleReview(work: Work, rows: readonly StoredEntry[], newer?: Readonly<Record<string, number>>): void {
  const { review } = work
  if (review === undefined) return
  const line = beginReview(work, review, work.cold.hasCopies === true ? rows : [])
  for (const row of rows) line.row(row)
  line.finish(newer)
}

/** @param copies - all rows of the line, when some may be copies of others */
export function beginReview(work: Work, need: ReviewNeed, copies: readonly StoredEntry[] = []): LineReview {
  const {
    row,
    needsRows = () => false,
    block,
    end,
  } = need.kind === 'subtract' ? subtract(work, need) : scan(work, need, copies)
  return {
    row,
    needsRows,
    block,
    finish: (newer) => {
      end()
      if (newer !== undefined) {
        work.cold = { ...work.cold, newer }
        work.coldChanged = true
      }
      work.review = undefined
    },
  }
}

type Counting = Pick<LineReview, 'row' | 'block'> &
  Partial<Pick<LineReview, 'needsRows'>> & { readonly end: () => void }

function subtract({ hot }: Work, { line, after }: ReviewNeed & { kind: 'subtract' }): Counting {
  return {
    row: (row) => {
      const shown = shownIn(line, row)
      if (shown.transcript) hot.transcript = countRow(hot.transcript, row, -1)
      if (shown.context) hot.context = countRow(hot.context, row, -1)
    },
    block: (block, shown) => {
      if (shown.transcript) hot.transcript = countBlock(hot.transcript, block, -1)
      if (shown.context) hot.context = countBlock(hot.context, block, -1)
    },
    end: () => {
      hot.transcript = lowerFloor(hot.transcript, after)
      hot.context = lowerFloor(hot.context, after)
    },
  }
}

function scan(
  { hot, line }: Work,
  { after, contextOnly }: ReviewNeed & { kind: 'scan' },
  copies: readonly StoredEntry[],
): Counting {
  const isWhole = after === ''
  const transcript = createViewCounter()
  const context = createViewCounter()
  const tail = followTail()
  if (!contextOnly) delete hot.auto
  if (isWhole) {
    hot.lineEnd = ''
    // Rows of a branch that sort before its opener belong to no line, but they are in its lane.
    hot.lastOrder = line.segments.at(-1)!.after
  }
  const reach = (branch: string, order: string): void => {
    if (branch === hot.head && order > hot.lastOrder) hot.lastOrder = order
  }
  const shownOnLine = shownAmong(line, copies)
  return {
    row: (stored, given) => {
      reach(stored.branch, stored.order)
      const { row, ...shown } = given ?? shownOnLine(stored)
      if (!shown.raw) return
      if (row.order > hot.lineEnd) hot.lineEnd = row.order
      transcript.add(row, shown.transcript)
      context.add(row, shown.context)
      if (!shown.transcript) return
      tail.add(row)
      if (!contextOnly) proposeTitle(hot, row)
    },
    // The first question gives the title.
    needsRows: (block, shown) => shown.transcript && block.questions > 0 && hot.auto === undefined && !contextOnly,
    block: (block, shown, branch) => {
      reach(branch, block.end)
      if (!shown.raw) return
      if (block.last > hot.lineEnd) hot.lineEnd = block.last
      transcript.addBlock(block, shown.transcript)
      context.addBlock(block, shown.context)
      if (shown.transcript && block.shown > 0) tail.skip()
    },
    end: () => {
      const views = { transcript: transcript.view(), context: context.view() }
      for (const view of contextOnly ? (['context'] as const) : (['transcript', 'context'] as const)) {
        const { messages, tokens } = views[view]
        hot[view] = isWhole ? views[view] : { ...hot[view], messages, tokens }
      }
      if (contextOnly) return
      const last = tail.last()
      if (last === undefined) delete hot.tail
      else hot.tail = last
    },
  }
}

/** Follows the tail of a line over visible rows. After skipped rows it is known again from the next opened turn on. */
function followTail(): {
  readonly add: (row: StoredEntry) => void
  readonly skip: () => void
  readonly last: () => TailState | undefined
} {
  let tail: TailState | undefined
  let isKnown = true
  return {
    add: (row) => {
      if (row.turn === undefined) isKnown = true
      tail = isKnown ? extendTail(tail, row) : undefined
    },
    skip: () => {
      tail = undefined
      isKnown = false
    },
    last: () => tail,
  }
}
