import { type CoreBackend, seenLane } from '../../../contract/backend.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { HotRow, SeenState } from '../../../contract/rows.ts'
import type { LaneEntries } from '../../../contract/write-batch.ts'
import { orderEnd } from '../../../domain/order.ts'
import type { SeenMark } from '../../../domain/seen-mark.ts'
import type { Work } from '../../../domain/work.ts'
import { derivedEntry, prefixOf } from '../sums/sum-blocks.ts'
import type { Plan } from '../writing/plan.ts'

interface StoredMark {
  readonly order: string
  readonly seen: SeenState
  readonly place: number
}

/**
 * How many marks are read. Each change of what hides parts of a line may have left some near its end that do not count
 * for it.
 */
const looked = 16

/** The last mark in a stretch of a lane, bounds excluded, that counts for a line. It considers only some marks. */
export async function readMark(
  backend: CoreBackend,
  hot: HotRow,
  lane: number,
  after: string,
  before: string,
  place: number,
): Promise<Omit<SeenMark, 'branch'> | undefined> {
  const prefix = prefixOf(hot)
  const { entries } = await backend.readRange({
    session: hot.session,
    lane: seenLane(lane),
    from: prefix + after,
    to: prefix + before,
    reverse: true,
    limit: looked,
  })
  const marks = entries.map(({ data }) => data as unknown as StoredMark)
  return marks.findLast((mark) => after < mark.order && mark.order < before && mark.place === place)
}

/** The entries that store the marks of a plan. */
export function markEntries({ work }: Plan): readonly LaneEntries[] {
  const stale = staleMarks(work)
  return Object.entries(work.cold.lanes).flatMap(([branch, lane]) => {
    const own = new Map(
      work.seenMarks
        .filter((mark) => mark.branch === branch && mark.order < (stale.get(branch) ?? orderEnd))
        .map((mark) => [mark.order, mark]),
    )
    if (own.size === 0) return []
    const prefix = prefixOf(work.hot)
    // Another mark at the same place is part of the key.
    const entries = [...own.values()].map(({ order, seen, place }) =>
      derivedEntry(`${prefix}${order}!${place.toString(36)}`, { order, seen, place } as unknown as JsonObject),
    )
    return [{ lane: seenLane(lane), entries: entries.sort((a, b) => (a.order < b.order ? -1 : 1)) }]
  })
}

/**
 * For each branch, the order from which the marks of its lane may have counted without a row of the plan: a row that
 * came in the lane, or before the branch left.
 */
export function staleMarks({ cold, inserted }: Work): ReadonlyMap<string, string> {
  const stale = new Map(inserted)
  for (let grows = true; grows; ) {
    grows = false
    for (const [branch, { fork }] of Object.entries(cold.branches)) {
      if (stale.get(branch) === '' || (stale.get(fork.branch) ?? orderEnd) > fork.order) continue
      stale.set(branch, '')
      grows = true
    }
  }
  return stale
}
