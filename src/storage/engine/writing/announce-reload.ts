import type { SessionChange } from '../../../contract/change.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { listingOf } from '../metadata/stored-meta.ts'
import { movedNames } from './moved-names.ts'
import type { Plan } from './plan.ts'

/**
 * The announcement that readers must read a session again.
 *
 * @param arrived - what arrived in the middle of what others wrote
 */
export function announceReload({ hot }: SessionRows, arrived?: Plan): SessionChange {
  const rows = arrived?.rows ?? []
  const names = arrived && movedNames(arrived)
  return {
    type: 'session',
    key: hot.key,
    session: hot.session,
    version: hot.version,
    rows: rows.length > 4096 ? [] : rows.map(({ branch, order }) => ({ branch, order })),
    reload: true,
    ...(names && { names }),
    listing: listingOf(hot),
  }
}
