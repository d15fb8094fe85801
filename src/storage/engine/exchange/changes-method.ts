import { type CoreBackend, recordCapacity } from '../../../contract/backend.ts'
import type { Entry, VersionVector } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { KeyOptions } from '../../../contract/store/write-options.ts'
import { orderEnd } from '../../../domain/order.ts'
import { countWithin, covers, inRanges, joinRanges } from '../../../domain/version-vector.ts'
import { knownVector } from '../../../domain/work.ts'
import type { Engine } from '../engine.ts'
import { bareEntry } from '../reading/entry-view.ts'
import { lanesOf } from '../reading/read-lane.ts'
import { checkKey } from '../writing/input.ts'
import { settledVector } from './settled-vector.ts'

/** Entries of one page. */
const changesPage = 500

/** How many entries of each lane are read at a time when little is new. */
const step = 64

/** Returns the entries that another store does not have. */
export function createChangesMethod({
  backend,
  writer,
  resolveKey,
}: Engine): Pick<SessionStore, 'changes' | 'getVector'> {
  const rowsOf = async (key: string, options: KeyOptions | undefined): Promise<SessionRows | undefined> =>
    writer.rows(options?.isKey === true ? checkKey(key) : await resolveKey(key))
  return {
    getVector: async (key, options) => {
      const rows = await rowsOf(key, options)
      return rows === undefined ? undefined : settledVector(rows)
    },
    changes: async (key, since = {}, cursor, options) => {
      const rows = await rowsOf(key, options)
      if (rows === undefined) return { entries: [], vv: {} }
      const vv = settledVector(rows)
      const wanted = countNew(rows, since)
      if (cursor === undefined && wanted <= changesPage)
        return { entries: await readNewest(backend, rows, since, wanted), vv }
      const lanes = lanesOf(rows)
      const start = cursor === undefined ? ([lanes[0]!, ''] as const) : readCursor(cursor)
      for (const lane of lanes.slice(Math.max(0, lanes.indexOf(start[0])))) {
        let from = lane === start[0] ? start[1] : ''
        for (;;) {
          const part = await backend.readRange({
            session: rows.hot.session,
            lane,
            from,
            to: orderEnd,
            limit: changesPage,
          })
          const edge = part.entries.at(-1)?.order
          const entries = part.entries.filter((row) => row.order > from && !covers(since, row.w, row.s)).map(bareEntry)
          const hasMore = part.more && edge !== undefined
          if (entries.length > 0) {
            const next = hasMore
              ? ([lane, edge] as const)
              : lanes.indexOf(lane) + 1 < lanes.length
                ? ([lanes[lanes.indexOf(lane) + 1]!, ''] as const)
                : undefined
            return { entries, vv, ...(next === undefined ? {} : { next: JSON.stringify(next) }) }
          }
          if (!hasMore) break
          from = edge
        }
      }
      return { entries: [], vv }
    },
  }
}

/** How many stored entries a vector does not cover. */
function countNew({ cold, hot }: SessionRows, since: VersionVector): number {
  const gone = joinRanges(cold.purged, cold.lost ?? {})
  let count = 0
  for (const [writer, next] of Object.entries(knownVector({ cold, hot }))) {
    const from = since[writer] ?? 0
    if (from < next) count += next - from - countWithin(gone[writer] ?? [], from, next)
  }
  return count
}

/**
 * New entries are nearly always near the end of their lane, and their number is known. So they are searched from the
 * ends of all lanes, and a long history is not read for one new entry.
 */
async function readNewest(
  backend: CoreBackend,
  rows: SessionRows,
  since: VersionVector,
  wanted: number,
): Promise<readonly Entry[]> {
  const found = new Map<number, StoredEntry[]>()
  let missing = wanted
  let ends = lanesOf(rows).map((lane) => ({ lane, to: orderEnd }))
  while (missing > 0 && ends.length > 0) {
    const left: typeof ends = []
    for (const { lane, to } of ends) {
      const part = await backend.readRange({
        session: rows.hot.session,
        lane,
        from: '',
        to,
        reverse: true,
        limit: step + recordCapacity,
      })
      const fresh = part.entries.filter((row) => (to === orderEnd || row.order < to) && !covers(since, row.w, row.s))
      found.set(lane, [...fresh, ...(found.get(lane) ?? [])])
      missing -= fresh.filter((row) => !inRanges(rows.cold.purged, row.w, row.s)).length
      const edge = part.entries[0]?.order
      if (missing <= 0) break
      if (part.more && edge !== undefined && edge !== to) left.push({ lane, to: edge })
    }
    ends = left
  }
  return lanesOf(rows).flatMap((lane) => (found.get(lane) ?? []).map(bareEntry))
}

function readCursor(cursor: string): readonly [lane: number, after: string] {
  try {
    const place: unknown = JSON.parse(cursor)
    if (Array.isArray(place) && typeof place[0] === 'number' && typeof place[1] === 'string')
      return [place[0], place[1]]
  } catch {
    // The error below reports it.
  }
  throw new SessionError('InvalidInput', 'cursor must be the `next` of an earlier page.')
}
