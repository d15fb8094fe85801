import { importedMid } from './imported-mid.ts'
import type { Line } from './line.ts'
import { isCompacted, isCutAway, isCutKnowingly, segmentOf } from './line.ts'
import { type EditedRow, type Shown, shownIn } from './shown-in.ts'
import type { Steps } from './steps.ts'
import { atOnce, overEach } from './steps.ts'

/** The views of a line that show a row, and the row as they show it. */
export type ShownRow<Row> = Shown & { readonly row: Row }

/**
 * Treats imported rows with one id from several writers as one row of a line: the first in order of those that belong
 * to the line, with the latest edit of any. A summary of one copy covers all for a model. A cut of one copy cuts all
 * copies that the cut had seen. Devices that imported other copies meanwhile still show those. When the cut went
 * through a turn, they appear at the place of the first one, where the rest of the turn still is.
 *
 * @param rows - every row that the given ones may be copies of, including themselves
 */
export function shownAmong<Row extends EditedRow>(line: Line, rows: Iterable<Row>): (row: Row) => ShownRow<Row> {
  return atOnce(joinInSteps(line, rows))
}

/** The same in steps, for rows that would keep a page busy. */
export function* joinInSteps<Row extends EditedRow>(
  line: Line,
  rows: Iterable<Row>,
): Steps<(row: Row) => ShownRow<Row>> {
  const copies = new Map<string, Row[]>()
  yield* overEach(rows, (row) => {
    const mid = importedMid(row)
    if (mid === undefined || !shownIn(line, row).raw) return
    const others = copies.get(mid)
    if (others === undefined) copies.set(mid, [row])
    else others.push(row)
  })
  const joined = new Map<string, ShownRow<Row>>()
  yield* overEach(copies, ([mid, all]) => {
    const list = all.filter((row) => !isCutAway(line, row, all))
    if (list.some(({ w }) => w !== list[0]!.w)) joined.set(mid, join(line, list, all))
  })
  return (row) => {
    const shown = shownIn(line, row)
    const one = joined.get(importedMid(row) ?? '')
    if (one === undefined || !shown.raw) return { ...shown, row }
    return row.order === one.row.order ? one : { raw: true, transcript: false, context: false, row }
  }
}

function join<Row extends EditedRow>(line: Line, remaining: readonly Row[], copies: readonly Row[]): ShownRow<Row> {
  const { edit } = remaining.reduce((a, b) => ((b.edit?.order ?? '') > (a.edit?.order ?? '') ? b : a))
  const rows = remaining.map((row) => (edit === undefined ? row : { ...row, edit }))
  const row = rows.reduce((a, b) => (b.order < a.order ? b : a))
  const transcript = rows.some((copy) => shownIn(line, copy).transcript) && !isCutKnowingly(line, row, copies)
  const isSummarised = rows.some((copy) => isCompacted(line, segmentOf(line, copy), copy))
  return { raw: true, transcript, context: transcript && !isSummarised, row }
}
