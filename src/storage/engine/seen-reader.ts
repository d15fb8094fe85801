import { controlLane, type CoreBackend } from '../../contract/backend.ts'
import type { Clock } from '../../contract/entry.ts'
import type { SeenMessages, SessionRows, StoredEntry } from '../../contract/rows.ts'
import { knownVector } from '../../domain/arrive.ts'
import { isCut, type Line, lineOf, segmentOf } from '../../domain/line.ts'
import { clockKey } from '../../domain/order.ts'
import { createSeenCounter, type SeenCounter } from '../../domain/seen-messages.ts'
import { readLane, readPages } from './session-reader.ts'

/** How far the head line of a session was counted. */
interface Counted {
  readonly counter: SeenCounter
  /** Session, line, what hides parts of it, and what may come back: all that decides what it shows but for what arrives. */
  readonly place: string
  /** The last entry that was read. */
  readonly last: string
  /** Entries that were known then, erased ones too, and the highest clock among them. */
  readonly entries: number
  readonly clock: Clock
}

/** Sessions whose count is kept. */
const kept = 16

/** Whether a checkpoint sees a row of a line's raw view. */
export function isSeen(line: Line, row: StoredEntry): boolean {
  return row.type === 'message' && !isCut(line, segmentOf(line, row), row)
}

/**
 * Reads what a checkpoint of a session's head remembers. The checksum needs every message, so that the first one reads the whole line; from
 * then on only what followed is read, as long as that is all that arrived: its entries, and the control entries since, are then as many as
 * are known more. How many are stored does not tell, as others may have been erased meanwhile.
 *
 * @returns gives `null` where a record can't be read: what it holds may come back, and would then be too much
 */
export function createSeenReader(backend: CoreBackend): (rows: SessionRows) => Promise<SeenMessages | null> {
  const known = new Map<string, Counted>()

  /** @returns `undefined` when more arrived than what followed; `null` when not all of it can be read */
  async function count(rows: SessionRows, line: Line, place: string, before?: Counted): Promise<Counted | undefined | null> {
    const { hot } = rows
    const { counter, last: from } = before ?? { counter: createSeenCounter(), last: '' }
    let last = from
    let arrived = 0
    let entries = 0
    let isWhole = true
    for (const next of Object.values(knownVector(rows))) entries += next
    for await (const page of readPages(backend, rows, line, 'raw', from, () => (isWhole = false))) {
      for (const row of page) if (isSeen(line, row)) counter.add(row)
      arrived += page.length
      last = page.at(-1)?.order ?? last
    }
    if (before) arrived += (await readLane(backend, hot.session, controlLane, clockKey(before.clock, Number.MAX_SAFE_INTEGER))).length
    if (!isWhole) return null
    return before && arrived !== entries - before.entries ? undefined : { counter, place, last, entries, clock: hot.clock }
  }

  return async (rows) => {
    const { hot, cold } = rows
    const line = lineOf(cold, hot.head)!
    const place = JSON.stringify([hot.session, hot.head, line.cuts, cold.purged, cold.lost])
    const before = known.get(hot.key)
    // What fails on the way has counted too far.
    known.delete(hot.key)
    let now = before?.place === place ? await count(rows, line, place, before) : undefined
    if (now === undefined) now = await count(rows, line, place)
    if (now == null) return null
    known.set(hot.key, now)
    for (const [oldest] of known) {
      if (known.size <= kept) break
      known.delete(oldest)
    }
    return now.counter.total(knownVector(rows), cold.purged)
  }
}
