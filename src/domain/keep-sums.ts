import type { HotRow, StoredEntry } from '../contract/rows.ts'
import type { BlockSum } from '../contract/sums.ts'
import type { BlockChange } from './block-change.ts'
import { blockSize } from './block-size.ts'
import { orderEnd } from './order.ts'
import { addRow, editRow, emptySum } from './row-sum.ts'
import type { Work } from './work.ts'

/** Whether there are enough rows for a block. */
export function isFullBlock({ rows, writers }: Pick<BlockSum, 'rows' | 'writers'>, times = 1): boolean {
  return rows >= times * blockSize.rows || Object.keys(writers).length >= times * blockSize.writers
}

/**
 * Adds an arriving row to the sums. At the end of the head's lane the sum of the newest rows grows, and becomes a block
 * when it is full. Elsewhere the row is added to the block at its place, if there is one.
 *
 * @param isLast - whether nothing in its lane comes after it
 */
export function sumRow(work: Work, row: StoredEntry, isLast: boolean): void {
  const { hot } = work
  const { branch, order } = row
  if (!isLast && order < (work.inserted.get(branch) ?? orderEnd)) work.inserted.set(branch, order)
  if (branch !== hot.head || (hot.open === undefined ? !isLast : order <= hot.open.after))
    return changeBlock(work, branch, order, (block) => ({
      ...addRow(block, row),
      last: order > block.last ? order : block.last,
    }))
  if (hot.open === undefined) return
  const open = addRow(hot.open, row)
  hot.open = open
  if (!isLast || !isFullBlock(open)) return
  const { after, blocks, ...sum } = open
  work.closed.push({ branch, block: { ...sum, from: after, end: order, last: order } })
  hot.open = { ...emptySum, after: order, blocks: blocks + 1 }
}

/** Adds an edit to the sums. */
export function sumEdit(work: Work, before: StoredEntry, after: StoredEntry): void {
  const { hot } = work
  const { branch, order } = before
  if (branch === hot.head && hot.open !== undefined && order > hot.open.after)
    hot.open = editRow(hot.open, before, after)
  else changeBlock(work, branch, order, (block) => editRow(block, before, after))
}

/** Invalidates all existing sums. */
export function voidSums(work: Work): void {
  work.hot.sums = nextSums(work.hot)
  work.closed = []
  work.touched.clear()
  work.seenMarks = []
  delete work.hot.open
  delete work.hot.seen
}

/** The first valid version for sums, greater than the version of every row. */
export const nextSums = ({ version, sums = 0 }: Pick<HotRow, 'version' | 'sums'>): number => Math.max(version, sums) + 1

/** A block of this plan is changed at once. Stored blocks are changed when they are read. */
function changeBlock(work: Work, branch: string, order: string, change: BlockChange['change']): void {
  const closed = work.closed.findLast(
    (one) => one.branch === branch && one.block.from < order && order <= one.block.end,
  )
  if (closed !== undefined) {
    closed.block = change(closed.block)
    return
  }
  const changes = work.touched.get(branch)
  if (changes === undefined) work.touched.set(branch, [{ order, change }])
  else changes.push({ order, change })
}
