import { type CoreBackend, controlLane } from '../../../contract/backend.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { orderEnd } from '../../../domain/order.ts'
import { edgeOf } from './range-edge.ts'

/** How many entries are fetched at a time. */
const chunk = 1024

/** Every stored row of one lane after an order, ascending. Unreadable records are skipped. */
export async function readLane(
  backend: CoreBackend,
  session: number,
  lane: number,
  after: string,
  onUnreadable?: (record: string) => void,
): Promise<readonly StoredEntry[]> {
  const all: StoredEntry[] = []
  let from = after
  for (;;) {
    const part = await backend.readRange({ session, lane, from, to: orderEnd, limit: chunk })
    // The record that contains the bound is read again.
    for (const record of part.unreadable) if (record > from || from === after) onUnreadable?.(record)
    for (const row of part.entries) if (row.order > from) all.push(row)
    const edge = edgeOf(part, false)
    if (!part.more || edge === undefined || edge <= from) return all
    from = edge
  }
}

/** All lanes of a session, control entries first. */
export function lanesOf({ cold }: SessionRows): readonly number[] {
  return [controlLane, ...Object.values(cold.lanes).sort((a, b) => a - b)]
}
