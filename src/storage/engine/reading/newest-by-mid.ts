import type { CoreBackend } from '../../../contract/backend.ts'
import type { Entry } from '../../../contract/entry.ts'
import type { SessionRows, StoredEntry } from '../../../contract/rows.ts'
import { bareEntry } from './entry-view.ts'

/**
 * The entry of each message id, in the order of the ids. Of several entries with one id it is the last one of the
 * session.
 */
export async function newestByMid(
  backend: Pick<CoreBackend, 'findByMid'>,
  rows: SessionRows,
  mids: readonly string[],
): Promise<(Entry | undefined)[]> {
  const newest = new Map<unknown, StoredEntry>()
  for (const row of await backend.findByMid(rows.hot.session, [...new Set(mids)])) {
    const { mid } = row.data
    const other = newest.get(mid)
    if (other === undefined || other.order < row.order) newest.set(mid, row)
  }
  return mids.map((mid) => {
    const row = newest.get(mid)
    return row === undefined ? undefined : bareEntry(row)
  })
}
