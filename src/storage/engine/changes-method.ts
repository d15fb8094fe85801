import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store.ts'
import { knownVector } from '../../domain/arrive.ts'
import { orderEnd } from '../../domain/order.ts'
import { covers } from '../../domain/version-vector.ts'
import type { Engine } from './engine.ts'
import { bareEntry } from './entry-view.ts'
import { lanesOf } from './session-reader.ts'

/** Entries of one page. */
const changesPage = 500

/** Gives out what somebody else does not have. */
export function createChangesMethod({ backend, writer, resolveKey }: Engine): Pick<SessionStore, 'changes'> {
  return {
    changes: async (key, since = {}, cursor) => {
      const rows = await writer.rows(await resolveKey(key))
      if (rows === undefined) return { entries: [], vv: {} }
      const lanes = lanesOf(rows)
      const start = cursor === undefined ? ([lanes[0]!, ''] as const) : readCursor(cursor)
      for (const lane of lanes.slice(Math.max(0, lanes.indexOf(start[0])))) {
        let from = lane === start[0] ? start[1] : ''
        for (;;) {
          const part = await backend.readRange({ session: rows.hot.session, lane, from, to: orderEnd, limit: changesPage })
          const edge = part.entries.at(-1)?.order
          const entries = part.entries.filter((row) => row.order > from && !covers(since, row.w, row.s)).map(bareEntry)
          const hasMore = part.more && edge !== undefined
          if (entries.length > 0) {
            const next = hasMore ? ([lane, edge] as const) : lanes.indexOf(lane) + 1 < lanes.length ? ([lanes[lanes.indexOf(lane) + 1]!, ''] as const) : undefined
            return { entries, vv: knownVector(rows), ...(next === undefined ? {} : { next: JSON.stringify(next) }) }
          }
          if (!hasMore) break
          from = edge
        }
      }
      return { entries: [], vv: knownVector(rows) }
    },
  }
}

function readCursor(cursor: string): readonly [lane: number, after: string] {
  try {
    const place: unknown = JSON.parse(cursor)
    if (Array.isArray(place) && typeof place[0] === 'number' && typeof place[1] === 'string') return [place[0], place[1]]
  } catch {
    // Told below.
  }
  throw new SessionError('InvalidInput', 'cursor must be the `next` of a page before.')
}
