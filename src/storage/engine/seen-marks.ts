import { type CoreBackend, type LaneEntries, seenLane } from '../../contract/backend.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { ColdRow, HotRow, SeenState } from '../../contract/rows.ts'
import type { SeenMark } from '../../domain/keep-seen.ts'
import { orderEnd } from '../../domain/order.ts'
import type { Plan } from './plan.ts'
import { derivedEntry, prefixOf } from './sum-blocks.ts'

interface StoredMark {
  readonly order: string
  readonly seen: SeenState
  readonly place: number
  readonly shuffles: number
}

/** Marks that are looked at: there may be some that count no more. */
const looked = 4

/** The last mark in a stretch of a lane, bounds excluded, that counts for a line; of some. */
export async function readMark(backend: CoreBackend, hot: HotRow, lane: number, after: string, before: string, place: number): Promise<Omit<SeenMark, 'branch'> | undefined> {
  const prefix = prefixOf(hot)
  const { entries } = await backend.readRange({ session: hot.session, lane: seenLane(lane), from: prefix + after, to: prefix + before, reverse: true, limit: looked })
  const marks = entries.map(({ data }) => data as unknown as StoredMark)
  return marks.findLast((mark) => after < mark.order && mark.order < before && mark.place === place && mark.shuffles === (hot.shuffles ?? 0))
}

/** What writes the marks of a plan. @param shuffles - as they were when the marks were made */
export function markEntries({ work }: Plan, shuffles = 0): readonly LaneEntries[] {
  return Object.entries(work.cold.lanes).flatMap(([branch, lane]) => {
    const own = new Map(work.seenMarks.filter((mark) => mark.branch === branch).map((mark) => [mark.order, mark]))
    if (own.size === 0) return []
    const prefix = prefixOf(work.hot)
    // What another mark at the same place counted is another key.
    const entries = [...own.values()].map(({ order, seen, place }) => derivedEntry(`${prefix}${order}!${place.toString(36)}.${shuffles}`, { order, seen, place, shuffles } as unknown as JsonObject))
    return [{ lane: seenLane(lane), entries: entries.sort((a, b) => (a.order < b.order ? -1 : 1)) }]
  })
}

/** Whether a row of a plan came in before something that a mark may have counted: a mark of its lane, or a branch that leaves behind it. */
export async function isShuffled(backend: CoreBackend, { base, work }: Plan): Promise<boolean> {
  const lasts = lastForks(work.cold)
  for (const [branch, order] of work.inserted) {
    if ((lasts.get(branch) ?? '') >= order) return true
    if (work.seenMarks.some((mark) => mark.branch === branch && mark.order >= order)) return true
    const lane = base.cold.lanes[branch]
    if (lane === undefined || base.hot.version === 0) continue
    const prefix = prefixOf(work.hot)
    const { entries } = await backend.readRange({ session: base.hot.session, lane: seenLane(lane), from: prefix + order, to: prefix + orderEnd, limit: 1 })
    if (entries.length > 0) return true
  }
  return false
}

/** For each branch the last place where another one leaves it. */
function lastForks({ branches }: ColdRow): ReadonlyMap<string, string> {
  const lasts = new Map<string, string>()
  for (const { fork } of Object.values(branches)) if (fork.order > (lasts.get(fork.branch) ?? '')) lasts.set(fork.branch, fork.order)
  return lasts
}
