import type { StoredEntry } from '../../../contract/rows.ts'
import type { BlockSum } from '../../../contract/sums.ts'
import { judgeBlock } from '../../../domain/judge-block.ts'
import type { Line, Segment } from '../../../domain/line.ts'
import { orderEnd } from '../../../domain/order.ts'
import type { Shown } from '../../../domain/shown-in.ts'
import type { Level } from '../sums/sum-blocks.ts'
import type { LaneSource } from './lane-source.ts'

/** Visits the content of a line in ascending order. */
export interface LineVisitor {
  row(row: StoredEntry): void
  /** A part of it can't be read. */
  torn?(): void
  needsRows(block: BlockSum, shown: Shown): boolean
  block(block: BlockSum, shown: Shown, branch: string, level: Level): void
}

/** Visits the stretches of a lane that belong to no block. */
export interface HoleVisitor {
  /** A stretch begins after a block, or at the start of the line's part of the lane. */
  begin(branch: string, after: string): void
  row(row: StoredEntry): void
  /** A part of it can't be read. */
  torn(): void
  /** @param isClosed - whether it ends at the start of a block; otherwise the line leaves the lane there */
  end(upTo: string, isClosed: boolean): void
}

/** A stretch of a segment, and whether its ends are ends or starts of blocks, so that no block overlaps it. */
interface Stretch {
  readonly from: string
  readonly to: string
  readonly beginsWhole: boolean
  readonly endsWhole: boolean
}

const topLevel: Level = 1

/**
 * Walks over a line after an order. It visits a block when each view shows all or nothing of it, and rows otherwise. So
 * the cost hardly grows with the line.
 */
export async function walkLine(
  source: LaneSource,
  line: Line,
  after: string,
  visitor: LineVisitor,
  holes?: HoleVisitor,
): Promise<void> {
  for (const [i, segment] of line.segments.entries()) {
    const from = segment.after > after ? segment.after : after
    if (from < segment.upTo)
      await walkSegment(
        source,
        line,
        i,
        { from, to: segment.upTo, beginsWhole: from === segment.after, endsWhole: segment.upTo === orderEnd },
        visitor,
        holes,
      )
  }
}

async function walkSegment(
  source: LaneSource,
  line: Line,
  at: number,
  whole: Stretch,
  visitor: LineVisitor,
  holes: HoleVisitor | undefined,
): Promise<void> {
  const { branch } = line.segments[at] as Segment

  /** @param isHole - whether no block overlaps it */
  const walkRows = async ({ from, to, endsWhole }: Stretch, isHole: boolean): Promise<void> => {
    const hole = isHole ? holes : undefined
    hole?.begin(branch, from)
    for await (const { rows, isWhole } of source.rows(branch, from, to)) {
      if (!isWhole) {
        hole?.torn()
        visitor.torn?.()
      }
      for (const row of rows) {
        hole?.row(row)
        visitor.row(row)
      }
    }
    hole?.end(to, endsWhole && to !== orderEnd)
  }

  const walkGap = (level: Level, gap: Stretch): Promise<void> =>
    level === 0 ? walkRows(gap, gap.beginsWhole) : walkBlocks(0, gap)
  const walkInside = (level: Level, from: string, to: string): Promise<void> => {
    const part = { from, to, beginsWhole: false, endsWhole: false }
    return level === 0 ? walkRows(part, false) : walkBlocks(0, part)
  }

  const walkBlocks = async (level: Level, { from, to, beginsWhole, endsWhole }: Stretch): Promise<void> => {
    let at = from
    let isEdge = beginsWhole
    for (const block of await source.blocks(level, branch, from, to)) {
      if (block.end <= at) continue
      if (block.from < at) {
        // The block begins before the requested part.
        const end = block.end < to ? block.end : to
        await walkInside(level, at, end)
        at = end
      } else {
        if (block.from > at) await walkGap(level, { from: at, to: block.from, beginsWhole: isEdge, endsWhole: true })
        at = block.end < to ? block.end : to
        if (block.end > to) await walkInside(level, block.from, to)
        else await walkBlock(level, block)
      }
      isEdge = true
      if (at >= to) return
    }
    if (at < to) await walkGap(level, { from: at, to, beginsWhole: isEdge, endsWhole })
  }

  const walkBlock = async (level: Level, block: BlockSum): Promise<void> => {
    const shown = judgeBlock(line, segmentAt, block)
    if (shown === undefined || visitor.needsRows(block, shown)) await walkInside(level, block.from, block.end)
    else visitor.block(block, shown, branch, level)
  }

  const segmentAt = at
  await walkBlocks(topLevel, whole)
}
