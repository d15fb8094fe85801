import type { SessionChange } from '../../../contract/change.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { listingOf } from '../metadata/stored-meta.ts'
import type { Plan } from './plan.ts'

/**
 * The announcement that readers must read a session again.
 *
 * @param arrived - the rows that arrived in the middle of what others wrote
 */
export function announceReload({ hot }: SessionRows, arrived: Plan['rows'] = []): SessionChange {
  return {
    type: 'session',
    key: hot.key,
    session: hot.session,
    version: hot.version,
    rows: arrived.length > 4096 ? [] : arrived.map(({ branch, order }) => ({ branch, order })),
    reload: true,
    listing: listingOf(hot),
  }
}
