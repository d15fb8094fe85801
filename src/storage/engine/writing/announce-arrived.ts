import type { SessionChange } from '../../../contract/change.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { listingOf } from '../metadata/stored-meta.ts'
import type { Plan } from './plan.ts'

/** The announcement that entries arrived in the middle of what others wrote, so that readers must read again. */
export function announceArrived({ rows }: Plan, { hot }: SessionRows): SessionChange {
  return {
    type: 'session',
    key: hot.key,
    version: hot.version,
    rows: rows.length > 4096 ? [] : rows.map(({ branch, order }) => ({ branch, order })),
    reload: true,
    listing: listingOf(hot),
  }
}
