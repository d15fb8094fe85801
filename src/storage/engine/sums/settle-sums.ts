import { type CoreBackend, seenLane, sumsLane } from '../../../contract/backend.ts'
import type { BlockSum } from '../../../contract/sums.ts'
import type { ClosedBlock } from '../../../domain/block-change.ts'
import { blockSize } from '../../../domain/block-size.ts'
import { isFullBlock } from '../../../domain/keep-sums.ts'
import { orderEnd } from '../../../domain/order.ts'
import { joinSums } from '../../../domain/row-sum.ts'
import { type LaneSource, plannedLanes } from '../reading/lane-source.ts'
import { markEntries, staleMarks } from '../reading/seen-marks.ts'
import type { Plan } from '../writing/plan.ts'
import { blockEntries, type Level, readBlockAt, readKeys, type StoredBlock } from './sum-blocks.ts'

/** Keys to erase, by lane. */
type Void = Map<number, Set<string>>

/**
 * Counts again what a plan makes uncertain, and records which sums of stretches changed: blocks that received something
 * are rewritten, and full ones are added.
 *
 * @param review - counts again; it may close more blocks
 */
export async function settleSums(
  backend: CoreBackend,
  plan: Plan,
  review: (source: LaneSource) => Promise<void>,
): Promise<void> {
  const { work } = plan
  if (
    work.review === undefined &&
    work.touched.size + work.inserted.size === 0 &&
    work.closed.length + work.seenMarks.length === 0
  )
    return
  const { gone, changed } = await findStale(backend, plan)
  const upper: ClosedBlock[] = []
  for (const { level, branch, block } of changed) (level === 0 ? work.closed : upper).push({ branch, block })
  const source = plannedLanes(backend, plan, upper, (level, branch, block) => {
    const lane = plan.base.cold.lanes[branch]
    return lane !== undefined && gone.get(sumsLane(lane, level))?.has((block as StoredBlock).key) === true
  })
  const closed = work.closed.length
  await review(source)
  const { head, open } = work.hot
  const torn = new Set(work.closed.slice(closed).map(({ branch }) => branch))
  if (open !== undefined && open.blocks >= blockSize.joined) torn.add(head)
  for (const branch of torn) {
    const { joined, left } = await joinBlocks(source, branch)
    for (const block of joined) upper.push({ branch, block })
    if (branch === head && work.hot.open !== undefined) work.hot.open = { ...work.hot.open, blocks: left }
  }
  plan.sums = {
    insert: [...entriesOf(plan, gone, 0, work.closed), ...entriesOf(plan, gone, 1, upper), ...markEntries(plan)],
    erase: [...gone].map(([lane, keys]) => ({ lane, orders: [...keys].sort() })),
  }
}

function entriesOf(plan: Plan, gone: Void, level: Level, blocks: readonly ClosedBlock[]): Plan['sums']['insert'] {
  return Object.entries(plan.work.cold.lanes).flatMap(([branch, lane]) => {
    const own = blocks.filter((one) => one.branch === branch).map(({ block }) => block)
    return own.length === 0
      ? []
      : [blockEntries(plan.work.hot, lane, level, own, gone.get(sumsLane(lane, level)) ?? new Set())]
  })
}

/** The effect of a plan on stored sums: keys to erase, and blocks to rewrite with the changes in them. */
interface Stale {
  readonly gone: Void
  readonly changed: readonly ChangedBlock[]
}

interface ChangedBlock extends ClosedBlock {
  readonly level: Level
}

async function findStale(backend: CoreBackend, plan: Plan): Promise<Stale> {
  const { base, work } = plan
  const gone: Void = new Map()
  const changed: ChangedBlock[] = []
  if (base.hot.version === 0) return { gone, changed }
  const add = (at: number, keys: Iterable<string>): void => {
    const known = gone.get(at) ?? new Set()
    for (const key of keys) known.add(key)
    if (known.size > 0) gone.set(at, known)
  }
  const lanes = Object.entries(base.cold.lanes)
  if (base.hot.sums !== work.hot.sums) {
    for (const [, lane] of lanes)
      for (const at of [sumsLane(lane, 0), sumsLane(lane, 1), seenLane(lane)])
        add(at, await readKeys(backend, base.hot, at, ''))
    return { gone, changed }
  }
  for (const [branch, lane] of lanes) {
    const changes = work.touched.get(branch)?.sort((a, b) => (a.order < b.order ? -1 : 1)) ?? []
    let isTooLarge = false
    for (const level of [0, 1] as const) {
      const found = new Map<string, StoredBlock>()
      let block: StoredBlock | undefined
      for (const { order, change } of changes) {
        if (block === undefined || order > block.end) block = await readBlockAt(backend, base.hot, lane, level, order)
        // Later rows lie after all blocks too.
        if (block === undefined) break
        if (order <= block.from) continue
        block = change(block)
        found.set(block.key, block)
      }
      add(sumsLane(lane, level), found.keys())
      for (const { key: _, ...block } of found.values()) {
        // A block of this size could no longer be read at a bounded cost. It is made again, with the larger block that
        // contains it.
        if (level === 0 && isFullBlock(block, 2)) isTooLarge = true
        if (!isTooLarge) changed.push({ level, branch, block })
      }
    }
  }
  for (const [branch, from] of staleMarks(work)) {
    const lane = base.cold.lanes[branch]
    if (lane !== undefined) add(seenLane(lane), await readKeys(backend, base.hot, seenLane(lane), from))
  }
  return { gone, changed }
}

/**
 * Joins neighbouring blocks that belong to no larger one. @returns also how many are left at the end of the lane, which
 * wait for more
 */
async function joinBlocks(
  source: LaneSource,
  branch: string,
): Promise<{ readonly joined: readonly BlockSum[]; readonly left: number }> {
  const joined: BlockSum[] = []
  let at = ''
  let left = 0
  for (const upper of [...(await source.blocks(1, branch, '', orderEnd)), undefined]) {
    const to = upper?.from ?? orderEnd
    let run: BlockSum[] = []
    const close = (isLast: boolean): void => {
      left = run.length
      if (run.length >= blockSize.joined || (!isLast && run.length > 1)) joined.push(joinAll(run))
      else return
      left = 0
      run = []
    }
    if (at < to) {
      for (const block of await source.blocks(0, branch, at, to)) {
        if (block.from < at || block.end > to) continue
        if (run.at(-1) !== undefined && run.at(-1)!.end !== block.from) {
          close(false)
          run = []
        }
        run.push(block)
        if (run.length === blockSize.joined) close(false)
      }
      close(upper === undefined)
    }
    at = upper?.end ?? to
  }
  return { joined, left }
}

function joinAll(blocks: readonly BlockSum[]): BlockSum {
  // biome-ignore lint/performance/noAccumulatingSpread: a sum has a handful of fields.
  const sum = blocks.reduce((a, b) => ({ ...a, ...joinSums(a, b), last: b.last === '' ? a.last : b.last }))
  return { ...sum, from: blocks[0]!.from, end: blocks.at(-1)!.end }
}
