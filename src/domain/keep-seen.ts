import type { CutRow, StoredEntry } from '../contract/rows.ts'
import { entryId } from './address.ts'
import { hash53 } from './hash53.ts'
import type { Line } from './line.ts'
import { nothingSeen, seeMessage } from './seen-messages.ts'
import type { Work } from './work.ts'

/** Identifies the cuts that apply to a line, which determine which rows it has seen. */
export function placeOf(line: Line): number {
  return hash53(line.cuts.map(({ cut }) => entryId(cut.w, cut.s)).join(' '))
}

/**
 * Adds a row of the head line, which no cut hides, to what is seen. @param closesBlock - whether it is the last row of
 * a block of sums
 */
export function seeRow(work: Work, row: StoredEntry, endsLine: boolean, closesBlock: boolean): void {
  const { hot, line } = work
  if (row.type === 'message' && hot.seen !== undefined) {
    if (endsLine) hot.seen = seeMessage(hot.seen, row)
    else delete hot.seen
  }
  if (closesBlock && endsLine && hot.seen !== undefined)
    work.seenMarks.push({ branch: row.branch, order: row.order, seen: hot.seen, place: placeOf(line) })
}

/** A cut now applies to the head line. @param hidesAll - whether it had seen everything that is here, and hides it */
export function cutSeen({ hot, line }: Work, cut: CutRow, hidesAll: boolean): void {
  if (hidesAll && cut.branch === line.branch && cut.order >= hot.lineEnd) hot.seen = nothingSeen()
  else delete hot.seen
}
