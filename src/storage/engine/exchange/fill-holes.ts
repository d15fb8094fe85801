import type { SequenceRanges } from '../../../contract/entry.ts'
import type { BlockSum, RowSum } from '../../../contract/sums.ts'
import type { ClosedBlock } from '../../../domain/block-change.ts'
import { isFullBlock } from '../../../domain/keep-sums.ts'
import { addRow, emptySum } from '../../../domain/row-sum.ts'
import { inRanges } from '../../../domain/version-vector.ts'
import type { HoleVisitor } from '../reading/walk-line.ts'

/** A block that grows. */
interface Growing {
  readonly sum: RowSum
  /** The greatest order in it, purged rows included, and the greatest order of a remaining row. */
  readonly end: string
  readonly last: string
}

/** The rest of the last stretch: rows that do not fill a block. */
interface Rest {
  readonly branch: string
  readonly after: string
  readonly sum: RowSum
}

export interface HoleFiller extends HoleVisitor {
  /** The blocks of the stretches that were walked. */
  readonly blocks: readonly ClosedBlock[]
  /** `undefined` when the last stretch could not be read completely. */
  readonly rest: () => Rest | undefined
}

/** Makes blocks of stretches that belong to none. */
export function createHoleFiller(purged: SequenceRanges): HoleFiller {
  const blocks: ClosedBlock[] = []
  let branch = ''
  let after = ''
  let isTorn = false
  let hasRest = false
  let growing = newGrowing()

  const close = (upTo: string): void => {
    const { sum, last } = growing
    if (upTo > after) blocks.push({ branch, block: { ...sum, from: after, end: upTo, last } satisfies BlockSum })
    after = upTo
    growing = newGrowing()
  }

  return {
    blocks,
    begin: (lane, from) => {
      branch = lane
      after = from
      isTorn = false
      hasRest = false
      growing = newGrowing()
    },
    row: (row) => {
      if (isTorn) return
      const { order } = row
      if (isFullBlock(growing.sum)) close(growing.end)
      growing = inRanges(purged, row.w, row.s)
        ? { ...growing, end: order }
        : { sum: addRow(growing.sum, row), end: order, last: order }
    },
    torn: () => {
      isTorn = true
    },
    end: (upTo, isClosed) => {
      if (isTorn) return
      if (isClosed) close(upTo)
      else hasRest = true
    },
    rest: () => (hasRest ? { branch, after, sum: growing.sum } : undefined),
  }
}

const newGrowing = (): Growing => ({ sum: emptySum, end: '', last: '' })
