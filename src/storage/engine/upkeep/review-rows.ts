import type { CoreBackend } from '../../../contract/backend.ts'
import type { StoredEntry } from '../../../contract/rows.ts'
import { hasCopiesAfter } from '../../../domain/imported-mid.ts'
import { segmentOf } from '../../../domain/line.ts'
import { orderEnd } from '../../../domain/order.ts'
import { beginReview, type LineReview } from '../../../domain/review.ts'
import { inRanges } from '../../../domain/version-vector.ts'
import type { ReviewNeed } from '../../../domain/work.ts'
import { createHoleFiller } from '../exchange/fill-holes.ts'
import type { LaneSource } from '../reading/lane-source.ts'
import { walkLine } from '../reading/walk-line.ts'
import { settleSums } from '../sums/settle-sums.ts'
import type { Plan } from '../writing/plan.ts'

/** Counts again what a plan's entries made uncertain: stored rows and those of the plan, with the plan's edits. */
export async function settlePlan(backend: CoreBackend, plan: Plan): Promise<void> {
  await settleSums(backend, plan, async (source) => {
    const { review } = plan.work
    if (review !== undefined) await settleReviewOf(plan, review, source)
  })
}

async function settleReviewOf(plan: Plan, need: ReviewNeed, source: LaneSource): Promise<void> {
  const { work } = plan
  const line = need.kind === 'subtract' ? need.line : work.line
  const newer =
    need.kind === 'scan' && need.after === '' && need.knowsNewer !== true ? await countNewer(plan, source) : undefined
  if (hasCopiesAfter(work.cold, need.after)) {
    // All copies of a row together decide which of them is shown.
    const rows: StoredEntry[] = []
    await walkLine(source, line, need.after, {
      row: (row) => void rows.push(row),
      needsRows: () => true,
      block: () => undefined,
    })
    const review = beginReview(work, need, rows)
    for (const row of rows) review.row(row)
    review.finish(newer)
    return
  }
  const review = beginReview(work, need)
  if (need.kind === 'scan' && need.after === '') await countHead(plan, source, review)
  else await walkLine(source, line, need.after, review)
  review.finish(newer)
}

/** Counts the whole head line, and makes sums of rows that belong to no block, so that they are known from then on. */
async function countHead(plan: Plan, source: LaneSource, review: LineReview): Promise<void> {
  const { work } = plan
  const filler = createHoleFiller(work.cold.purged)
  delete work.hot.open
  const { branch, after } = work.line.segments.at(-1)!
  // The blocks at the end of the head's lane that are not joined yet.
  let blocks = 0
  await walkLine(
    source,
    work.line,
    '',
    {
      ...review,
      block: (block, shown, owner, level) => {
        review.block(block, shown, owner)
        blocks = level === 0 ? blocks + 1 : 0
      },
    },
    filler,
  )
  const rest = filler.rest()
  for (const block of filler.blocks) work.closed.push(block)
  if (rest?.branch === branch && rest.after >= after)
    work.hot.open = { ...rest.sum, after: rest.after, blocks: blocks + filler.blocks.length }
}

async function countNewer({ work }: Plan, source: LaneSource): Promise<Record<string, number>> {
  const since = work.cold.heads[work.hot.head] ?? ''
  const newer: Record<string, number> = {}
  for (const branch of Object.keys(work.cold.lanes)) {
    let count = 0
    for await (const { rows } of source.rows(branch, since, orderEnd)) {
      for (const row of rows) if (segmentOf(work.line, row) < 0 && !inRanges(work.cold.purged, row.w, row.s)) count += 1
    }
    if (count > 0) newer[branch] = count
  }
  return newer
}
