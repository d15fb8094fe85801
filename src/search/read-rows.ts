import type { RangeRead } from '../contract/backend.ts'
import type { StoredEntry } from '../contract/rows.ts'
import { orderEnd } from '../domain/order.ts'
import type { SearchSource } from './search-source.ts'

/** Rows of a page. */
const pageSize = 512

/** A page of a lane: the first one, unless it begins elsewhere. */
export const pageOfLane = (session: number, lane: number, from = '', to: string = orderEnd): RangeRead => ({
  session,
  lane,
  from,
  to,
  limit: pageSize,
})

/** The rows of a lane between two orders, both inclusive, in pages. */
export async function* readRows(
  source: Pick<SearchSource, 'readRange'>,
  session: number,
  lane: number,
  from = '',
  to: string = orderEnd,
): AsyncGenerator<readonly StoredEntry[], void, undefined> {
  let edge = ''
  for (let at = from; ; at = edge) {
    const { entries, more } = await source.readRange(pageOfLane(session, lane, at, to))
    // The page starts with the whole record that holds the edge.
    yield edge === '' ? entries : entries.filter(({ order }) => order > edge)
    const last = entries.at(-1)?.order
    if (!more || last === undefined || last === edge) return
    edge = last
  }
}
