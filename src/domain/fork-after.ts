import type { Fork } from '../contract/entry.ts'
import type { ColdRow } from '../contract/rows.ts'
import type { Line } from './line.ts'
import { isBranchDeleted, lineAt, lineOf, segmentOf } from './line.ts'
import { orderEnd } from './order.ts'
import { type EditedRow, shownIn } from './shown-in.ts'
import { showsAlike } from './shows-alike.ts'

/**
 * The fork of a branch that shows what a line shows up to a row. It leaves from the branch nearest to the row that makes
 * this true. Usually that is the row's own. A branch further down the line is needed if it hides some of what is
 * before the row, or still shows what was cut elsewhere since.
 */
export function forkAfter(cold: ColdRow, line: Line, { branch, order }: EditedRow): Fork {
  const wanted = lineAt(cold, { branch: line.branch, order, cuts: orderEnd })
  const candidates = line.segments.slice(line.positions.get(branch))
  const nearest = candidates.find((candidate) => {
    if (candidate.branch === line.branch) return true
    const short = lineAt(cold, { branch: candidate.branch, order, cuts: orderEnd })
    return short && wanted && showsAlike(short, wanted, short.segments.length)
  })
  return { branch: nearest?.branch ?? branch, order }
}

/**
 * The line that somebody means who names a row: the head if it shows the row, otherwise that of the row's own branch,
 * otherwise the newest that shows it. Of a row that none shows any more, it is the first of these that it belongs to.
 */
export function lineOfRow(cold: ColdRow, head: string, row: EditedRow): Line | undefined {
  let holding: Line | undefined
  for (const branch of likelyLines(cold, head, row)) {
    const line = branch !== '' && isBranchDeleted(cold, branch) ? undefined : lineOf(cold, branch)
    if (line === undefined || segmentOf(line, row) < 0) continue
    if (shownIn(line, row).transcript) return line
    holding ??= line
  }
  return holding
}

function* likelyLines(cold: ColdRow, head: string, row: EditedRow): Generator<string> {
  yield head
  yield row.branch
  const newestFirst = Object.entries(cold.branches).sort(([, a], [, b]) => (a.order < b.order ? 1 : -1))
  for (const [branch] of newestFirst) yield branch
  yield ''
}
