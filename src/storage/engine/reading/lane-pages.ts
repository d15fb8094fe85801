import type { CoreBackend } from '../../../contract/backend.ts'
import type { StoredEntry } from '../../../contract/rows.ts'
import { orderEnd } from '../../../domain/order.ts'
import type { Pace } from '../work-pace.ts'
import { edgeOf } from './range-edge.ts'

/** How many rows the first page fetches, and how many bytes of rows a page has at most. */
const firstLimit = 256
const highestLimit = 1024
const pageBytes = 4 * 1024 * 1024
/** Other tasks may run after this many rows. */
const stretch = 128

/**
 * Every stored row of a lane after an order, ascending, in pages of a few megabytes at most (or one record, if that is
 * larger).
 */
export async function* lanePages(
  backend: CoreBackend,
  session: number,
  lane: number,
  after: string,
  pace: Pace,
  onUnreadable: (record: string) => void = () => undefined,
): AsyncGenerator<readonly StoredEntry[], void, undefined> {
  let limit = firstLimit
  for (let from = after; ; ) {
    const part = await backend.readRange({ session, lane, from, to: orderEnd, limit })
    // The record that contains the bound is read again.
    for (const record of part.unreadable) if (record > from || from === after) onUnreadable(record)
    let bytes = 0
    for (const row of part.entries)
      bytes += row.bytes + (row.edit === undefined ? 0 : JSON.stringify(row.edit.value).length)
    for (
      let i = part.entries[0] !== undefined && part.entries[0].order <= from ? firstAfter(part.entries, from) : 0;
      i < part.entries.length;
      i += stretch
    ) {
      const rows = part.entries.slice(i, i + stretch)
      yield rows
      await pace.step(
        rows.length,
        rows.reduce((sum, row) => sum + row.bytes, 0),
      )
    }
    const edge = edgeOf(part, false)
    if (!part.more || edge === undefined || edge <= from) return
    from = edge
    const fitting = Math.floor((limit * pageBytes) / Math.max(bytes, 1))
    limit = Math.max(1, Math.min(highestLimit, limit * 2, fitting))
  }
}

function firstAfter(rows: readonly StoredEntry[], order: string): number {
  const at = rows.findIndex((row) => row.order > order)
  return at < 0 ? rows.length : at
}
