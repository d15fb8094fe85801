import type { ColdRow, HotRow, SessionRows } from '../../contract/rows.ts'
import { damagedRow } from '../damaged-row.ts'
import { isHotRow } from '../readable.ts'
import type { ReadSteps } from './transaction.ts'

/** {@link StorageBackend.loadSession}. @throws ChecksumMismatch when a row of the session can't be read */
export function loadSession({ store, read, answer }: ReadSteps<SessionRows | undefined>, key: string): void {
  read<unknown>(store('sessions').get(key), (hot) => {
    if (hot === undefined) {
      answer(undefined)
      return
    }
    if (!isHotRow(hot)) throw damagedRow(key, 'hot')
    read<ColdRow | undefined>(store('details').get(hot.session), (cold) => {
      if (typeof cold !== 'object' || cold === null) throw damagedRow(key, 'cold')
      answer({ hot, cold })
    })
  })
}

/** {@link StorageBackend.listSessions}. Rows that can't be read are left out, so that the others can be listed. */
export function listSessions({ store, read, answer }: ReadSteps<readonly HotRow[]>): void {
  read<unknown[]>(store('sessions').getAll(), (rows) => answer(rows.filter(isHotRow)))
}
