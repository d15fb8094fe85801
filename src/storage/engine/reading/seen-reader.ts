import type { CoreBackend } from '../../../contract/backend.ts'
import type { VersionVector } from '../../../contract/entry.ts'
import type { SeenState, SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { blockSize } from '../../../domain/block-size.ts'
import { coverage } from '../../../domain/judge-block.ts'
import { placeOf } from '../../../domain/keep-seen.ts'
import { isCut, type Line, lineAt, segmentOf } from '../../../domain/line.ts'
import { orderEnd } from '../../../domain/order.ts'
import type { SeenMark } from '../../../domain/seen-mark.ts'
import { createSeenCounter } from '../../../domain/seen-messages.ts'
import { covers } from '../../../domain/version-vector.ts'
import { storedLanes } from './lane-source.ts'
import { readMark } from './seen-marks.ts'
import { walkLine } from './walk-line.ts'

/** The messages that a line has seen. */
export interface CountedLine {
  readonly seen: SeenState
  /** Places from which a later count can continue. */
  readonly marks: readonly SeenMark[]
}

/** Whether a checkpoint sees a row of a line's raw view. */
export function isSeen(line: Line, row: StoredEntry): boolean {
  return row.type === 'message' && !isCut(line, segmentOf(line, row), row)
}

/**
 * Counts the messages that a line has seen. The checksum needs every message, but its progress is marked at some
 * places. The rows are read from the last mark on.
 *
 * @param check - receives the rows that are read: at least those after the last mark before the end
 * @returns `undefined` when a record can't be read: its content may be restored later, and would not be counted
 */
export async function countSeen(
  backend: CoreBackend,
  rows: SessionRows,
  line: Line,
  check: (row: StoredEntry) => void = () => undefined,
): Promise<CountedLine | undefined> {
  const source = storedLanes(backend, rows)
  const start = await findMark(backend, rows, line)
  const counter = createSeenCounter(start?.seen)
  const place = placeOf(line)
  const marks: SeenMark[] = []
  let count = 0
  let isWhole = true
  await walkLine(source, line, start?.order ?? '', {
    row: (row) => {
      const segment = segmentOf(line, row)
      if (segment < 0 || !isSeen(line, row)) return
      check(row)
      counter.add(row)
      count += 1
      // A restored line leaves rows out that the line of the row's own branch has.
      if (count % blockSize.rows === 0 && line.segments[segment]!.seen.length === 0)
        marks.push({ branch: row.branch, order: row.order, seen: counter.state(), place })
    },
    torn: () => {
      isWhole = false
    },
    needsRows: (_, shown) => shown.transcript,
    block: () => undefined,
  })
  return isWhole ? { seen: counter.state(), marks } : undefined
}

/** The last mark before the end of a line that had seen exactly what the line has there. */
async function findMark(backend: CoreBackend, rows: SessionRows, line: Line): Promise<SeenMark | undefined> {
  const { hot, cold } = rows
  const place = placeOf(line)
  for (const { branch, after, upTo, seen } of [...line.segments].reverse()) {
    const lane = hot.version > 0 && Object.hasOwn(cold.lanes, branch) ? cold.lanes[branch] : undefined
    const mark = lane === undefined ? undefined : await readMark(backend, hot, lane, after, upTo, place)
    if (mark !== undefined && (seen.length === 0 || (await hasSeenAll(backend, rows, branch, mark.order, seen))))
      return { ...mark, branch }
  }
  return undefined
}

/** Whether vectors cover every row of a branch's line up to an order. */
async function hasSeenAll(
  backend: CoreBackend,
  rows: SessionRows,
  branch: string,
  order: string,
  vectors: readonly VersionVector[],
): Promise<boolean> {
  const found = lineAt(rows.cold, { branch, order, cuts: orderEnd })
  if (found === undefined) return false
  const { compaction: _, ...line } = { ...found, cuts: [] }
  let isAll = true
  await walkLine(storedLanes(backend, rows), line, '', {
    row: (row) => {
      if (segmentOf(line, row) >= 0 && !vectors.every((vv) => covers(vv, row.w, row.s))) isAll = false
    },
    needsRows: (block, shown) => isAll && shown.raw && !vectors.every((vv) => coverage(vv, block) === 'all'),
    block: () => undefined,
  })
  return isAll
}
