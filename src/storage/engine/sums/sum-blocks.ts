import { type CoreBackend, sumsLane } from '../../../contract/backend.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { HotRow, StoredEntry } from '../../../contract/rows.ts'
import type { BlockSum } from '../../../contract/sums.ts'
import type { LaneEntries } from '../../../contract/write-batch.ts'
import { isObject } from '../../../domain/is-object.ts'
import { orderEnd } from '../../../domain/order.ts'

/** 0: a block of rows; 1: a block of blocks. */
export type Level = 0 | 1

/** A stored block. */
export interface StoredBlock extends BlockSum {
  readonly key: string
}

/** Sorts after a key and before every later one. */
const nextKey = '!'

/** Other versions have other keys, so that void blocks are never found. */
export const prefixOf = ({ sums = 0 }: Pick<HotRow, 'sums'>): string => `${sums}:`

/** The blocks that overlap a stretch of a lane, ascending; the last may end after it. */
export async function readBlocks(
  backend: CoreBackend,
  hot: HotRow,
  lane: number,
  level: Level,
  after: string,
  upTo: string,
): Promise<readonly StoredBlock[]> {
  const prefix = prefixOf(hot)
  const at = { session: hot.session, lane: sumsLane(lane, level) }
  const found = await backend.readRange({ ...at, from: prefix + after, to: `${prefix}${upTo}${nextKey}${orderEnd}` })
  const inside = found.entries.flatMap(blockOf).filter(({ end }) => end > after)
  if (upTo === orderEnd || (inside.at(-1)?.end ?? '') >= upTo) return inside.filter(({ from }) => from < upTo)
  const behind = await backend.readRange({ ...at, from: prefix + upTo, to: prefix + orderEnd, limit: 1 })
  const last = behind.entries.flatMap(blockOf).find(({ end }) => end > upTo)
  return last !== undefined && last.from < upTo ? [...inside, last] : inside
}

/** The first block that ends at or after an order. */
export async function readBlockAt(
  backend: CoreBackend,
  hot: HotRow,
  lane: number,
  level: Level,
  order: string,
): Promise<StoredBlock | undefined> {
  const prefix = prefixOf(hot)
  const found = await backend.readRange({
    session: hot.session,
    lane: sumsLane(lane, level),
    from: prefix + order,
    to: prefix + orderEnd,
    limit: 1,
  })
  return found.entries.flatMap(blockOf).find(({ end }) => end >= order)
}

/** The valid keys in a lane of sums or marks, from an order on. */
export async function readKeys(
  backend: CoreBackend,
  hot: HotRow,
  at: number,
  from: string,
): Promise<readonly string[]> {
  const prefix = prefixOf(hot)
  const { entries } = await backend.readRange({
    session: hot.session,
    lane: at,
    from: prefix + from,
    to: prefix + orderEnd,
  })
  return entries.flatMap(({ order }) => (order >= prefix + from && order.startsWith(prefix) ? [order] : []))
}

function blockOf({ data, order }: StoredEntry): readonly StoredBlock[] {
  const block = data['block']
  return isObject(block) ? [{ ...(block as unknown as BlockSum), key: order }] : []
}

/**
 * The entries that store blocks in their lane.
 *
 * @param erased - keys that the same write erases. None of them can be written at the same time, but the key right
 * after it can
 */
export function blockEntries(
  hot: Pick<HotRow, 'sums'>,
  lane: number,
  level: Level,
  blocks: readonly BlockSum[],
  erased: ReadonlySet<string>,
): LaneEntries {
  const entries = blocks.map((block): StoredEntry => {
    const key = prefixOf(hot) + block.end
    return derivedEntry(erased.has(key) ? key + nextKey : key, { block: block as unknown as JsonObject })
  })
  return { lane: sumsLane(lane, level), entries: entries.sort((a, b) => (a.order < b.order ? -1 : 1)) }
}

/** Data that can be made again from the rows, in the form of a row. */
export function derivedEntry(order: string, data: JsonObject): StoredEntry {
  return {
    w: 0,
    s: 0,
    branch: '',
    type: 'derived',
    data,
    at: 0,
    clock: { hp: 0, hc: 0 },
    crc: 0,
    bytes: JSON.stringify(data).length,
    order,
  }
}
