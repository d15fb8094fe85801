import type { VersionVector } from '../contract/entry.ts'
import type { BlockSum, RowSum } from '../contract/sums.ts'
import type { Line } from './line.ts'
import type { Shown } from './shown-in.ts'

/**
 * The views of a line that show the rows of a block, apart from removed ones; `undefined` when that differs between the
 * rows.
 */
export function judgeBlock(line: Line, segment: number, block: BlockSum): Shown | undefined {
  const raw = isAllOrNothing(line.segments[segment]!.seen.map((vv) => coverage(vv, block)))
  if (raw !== true) return raw === false ? { raw: false, transcript: false, context: false } : undefined
  const cut = isHidden(line.cuts, segment, block, true)
  if (cut !== false) return cut === true ? { raw: true, transcript: false, context: false } : undefined
  const compacted = line.compaction === undefined ? false : isHidden([line.compaction], segment, block, false)
  return compacted === undefined ? undefined : { raw: true, transcript: true, context: !compacted }
}

/** How much of a block a vector covers. */
type Coverage = 'all' | 'some' | 'none'

export function coverage(vv: VersionVector, { writers }: RowSum): Coverage {
  let isAll = true
  let isNone = true
  for (const [writer, [first, next]] of Object.entries(writers)) {
    const known = vv[writer] ?? 0
    if (known < next) isAll = false
    if (known > first) isNone = false
  }
  return isAll ? 'all' : isNone ? 'none' : 'some'
}

/** Whether a vector that covers no row of a block may cover the opener of a row's turn. */
function hasSeenTurn(vv: VersionVector, { openers = {} }: RowSum): boolean {
  return Object.entries(openers).some(([writer, first]) => (vv[writer] ?? 0) > first)
}

/** Rows belong to a line when every one of its vectors covers them. */
function isAllOrNothing(coverages: readonly Coverage[]): boolean | undefined {
  if (coverages.includes('none')) return false
  return coverages.includes('some') ? undefined : true
}

/**
 * @param wholeTurns - whether a cut that had seen a turn also hides rows of it that it had not seen. Only the rows show
 * which those are
 */
function isHidden(
  cuts: Line['cuts'],
  segment: number,
  { from, last, ...block }: BlockSum,
  wholeTurns: boolean,
): boolean | undefined {
  let isUnsure = false
  for (const { cut, covers } of cuts) {
    if (segment > covers || cut.order <= from) continue
    const seen = coverage(cut.vv, block)
    if (seen === 'all' && cut.order >= last) return true
    if (seen !== 'none' || (wholeTurns && hasSeenTurn(cut.vv, block))) isUnsure = true
  }
  return isUnsure ? undefined : false
}
