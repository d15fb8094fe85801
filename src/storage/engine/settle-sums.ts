import { type CoreBackend, sumsLane } from '../../contract/backend.ts'
import type { BlockSum } from '../../contract/sums.ts'
import { blockSize } from '../../domain/block-size.ts'
import { orderEnd } from '../../domain/order.ts'
import { joinSums } from '../../domain/row-sum.ts'
import type { ClosedBlock } from '../../domain/keep-sums.ts'
import { type LaneSource, plannedLanes } from './lane-source.ts'
import type { Plan } from './plan.ts'
import { isShuffled, markEntries } from './seen-marks.ts'
import { blockEntries, type Level, readBlockAt, readBlockKeys } from './sum-blocks.ts'

const levels: readonly Level[] = [0, 1]

/** Keys of blocks to erase, by the lane they lie in. */
type Void = Map<number, Set<string>>

/**
 * Has what a plan makes uncertain counted again, and writes down which sums of stretches changed: blocks into which something fell are erased,
 * those that are full are added.
 *
 * @param review - counts again; it may close more blocks
 */
export async function settleSums(backend: CoreBackend, plan: Plan, review: (source: LaneSource) => Promise<void>): Promise<void> {
  const { work } = plan
  if (work.review === undefined && work.touched.size + work.inserted.size === 0 && work.closed.length + work.seenMarks.length === 0) return
  const { shuffles } = work.hot
  if (await isShuffled(backend, plan)) work.hot.shuffles = (shuffles ?? 0) + 1
  const gone = await findVoid(backend, plan)
  const source = plannedLanes(backend, plan, (level, branch, block) => {
    const lane = plan.base.cold.lanes[branch]
    return lane !== undefined && gone.get(sumsLane(lane, level))?.has((block as BlockSum & { key: string }).key) === true
  })
  const closed = work.closed.length
  await review(source)
  const upper: ClosedBlock[] = []
  const { head, open } = work.hot
  const torn = new Set(work.closed.slice(closed).map(({ branch }) => branch))
  if (open !== undefined && open.blocks >= blockSize.joined) torn.add(head)
  for (const branch of torn) {
    const { joined, left } = await joinBlocks(source, branch)
    for (const block of joined) upper.push({ branch, block })
    if (branch === head && work.hot.open !== undefined) work.hot.open = { ...work.hot.open, blocks: left }
  }
  plan.sums = { insert: [...entriesOf(plan, gone, 0, work.closed), ...entriesOf(plan, gone, 1, upper), ...markEntries(plan, shuffles)], erase: [...gone].map(([lane, keys]) => ({ lane, orders: [...keys].sort() })) }
}

function entriesOf(plan: Plan, gone: Void, level: Level, blocks: readonly ClosedBlock[]): Plan['sums']['insert'] {
  return Object.entries(plan.work.cold.lanes).flatMap(([branch, lane]) => {
    const own = blocks.filter((one) => one.branch === branch).map(({ block }) => block)
    return own.length === 0 ? [] : [blockEntries(plan.work.hot, lane, level, own, gone.get(sumsLane(lane, level)) ?? new Set())]
  })
}

/** The stored blocks that a plan makes void. */
async function findVoid(backend: CoreBackend, { base, work }: Plan): Promise<Void> {
  const gone: Void = new Map()
  if (base.hot.version === 0) return gone
  const add = (lane: number, level: Level, key: string): void => {
    const at = sumsLane(lane, level)
    const keys = gone.get(at)
    if (keys === undefined) gone.set(at, new Set([key]))
    else keys.add(key)
  }
  if (base.hot.sums !== work.hot.sums) {
    for (const lane of Object.values(base.cold.lanes)) {
      for (const level of levels) for (const key of await readBlockKeys(backend, base.hot, lane, level)) add(lane, level, key)
    }
    return gone
  }
  for (const [branch, orders] of work.touched) {
    const lane = base.cold.lanes[branch]
    if (lane === undefined) continue
    let reached = ''
    for (const order of orders.sort()) {
      if (order <= reached) continue
      const block = await readBlockAt(backend, base.hot, lane, 0, order)
      // What is later lies behind all blocks as well.
      if (block === undefined) break
      reached = order <= block.from ? block.from : block.end
      if (order <= block.from) continue
      add(lane, 0, block.key)
      const upper = await readBlockAt(backend, base.hot, lane, 1, order)
      if (upper !== undefined && upper.from < order) add(lane, 1, upper.key)
    }
  }
  return gone
}

/** Joins blocks that lie side by side, and in no larger one. @returns also how many are left at the end of the lane: those wait for more */
async function joinBlocks(source: LaneSource, branch: string): Promise<{ readonly joined: readonly BlockSum[]; readonly left: number }> {
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
  const sum = blocks.reduce((a, b) => ({ ...a, ...joinSums(a, b), last: b.last === '' ? a.last : b.last }))
  return { ...sum, from: blocks[0]!.from, end: blocks.at(-1)!.end }
}
