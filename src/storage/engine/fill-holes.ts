import type { SequenceRanges } from '../../contract/entry.ts'
import type { StoredEntry } from '../../contract/rows.ts'
import type { BlockSum, RowSum } from '../../contract/sums.ts'
import { type ClosedBlock, isFullBlock } from '../../domain/keep-sums.ts'
import { addRow, emptySum, joinSums } from '../../domain/row-sum.ts'
import { inRanges } from '../../domain/version-vector.ts'
import type { HoleVisitor } from './walk-line.ts'

/** A block that grows. */
interface Growing {
  sum: RowSum
  /** The greatest order in it, purged rows too, and of a row that stands. */
  end: string
  last: string
}

/** What is left of the last stretch: rows that are not enough for a block. */
export interface Rest {
  readonly branch: string
  readonly after: string
  readonly sum: RowSum
}

export interface HoleFiller extends HoleVisitor {
  /** Blocks for the stretches that were walked. */
  readonly blocks: readonly ClosedBlock[]
  /** `undefined` when the last stretch could not be read whole. */
  readonly rest: () => Rest | undefined
}

/** Makes blocks of stretches that lie in none, of equal size, so that none is left over that is small. */
export function createHoleFiller(purged: SequenceRanges): HoleFiller {
  const blocks: ClosedBlock[] = []
  let branch = ''
  let after = ''
  let isTorn = false
  let hasRest = false
  let first = newGrowing()
  let second = newGrowing()

  const close = ({ sum, end, last }: Growing, upTo = end): void => {
    if (upTo > after) blocks.push({ branch, block: { ...sum, from: after, end: upTo, last } satisfies BlockSum })
    after = upTo
  }

  const add = (growing: Growing, row: StoredEntry): void => {
    growing.end = row.order
    if (inRanges(purged, row.w, row.s)) return
    growing.sum = addRow(growing.sum, row)
    growing.last = row.order
  }

  return {
    blocks,
    begin: (lane, from) => {
      branch = lane
      after = from
      isTorn = false
      hasRest = false
      first = newGrowing()
      second = newGrowing()
    },
    row: (row) => {
      if (isTorn) return
      if (!isFullBlock(first.sum)) return add(first, row)
      add(second, row)
      if (!isFullBlock(second.sum)) return
      close(first)
      first = second
      second = newGrowing()
    },
    torn: () => {
      isTorn = true
    },
    end: (upTo, isClosed) => {
      if (isTorn) return
      if (isClosed) return close({ sum: joinSums(first.sum, second.sum), end: upTo, last: second.last === '' ? first.last : second.last }, upTo)
      if (isFullBlock(first.sum)) {
        close(first)
        first = second
      }
      hasRest = true
    },
    rest: () => (hasRest ? { branch, after, sum: first.sum } : undefined),
  }
}

const newGrowing = (): Growing => ({ sum: emptySum, end: '', last: '' })
