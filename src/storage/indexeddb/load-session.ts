import { SessionError } from '../../contract/errors.ts'
import type { ColdRow, HotRow, SessionRows } from '../../contract/rows.ts'
import { isHotRow } from '../readable.ts'
import type { ReadSteps } from './transaction.ts'

/** {@link StorageBackend.loadSession}. @throws ChecksumMismatch when a row of the session can't be read */
export function loadSession({ store, read, answer }: ReadSteps<SessionRows | undefined>, key: string): void {
  read<unknown>(store('sessions').get(key), (hot) => {
    if (hot === undefined) {
      answer(undefined)
      return
    }
    if (!isHotRow(hot)) throw damaged(key, 'hot')
    read<ColdRow | undefined>(store('details').get(hot.session), (cold) => {
      if (typeof cold !== 'object' || cold === null) throw damaged(key, 'cold')
      answer({ hot, cold })
    })
  })
}

/** {@link StorageBackend.listSessions}. Rows that can't be read are left out, so that the others can be listed. */
export function listSessions({ store, read, answer }: ReadSteps<readonly HotRow[]>): void {
  read<unknown[]>(store('sessions').getAll(), (rows) => answer(rows.filter(isHotRow)))
}

function damaged(key: string, row: string): SessionError {
  return new SessionError('ChecksumMismatch', `The ${row} row of session "${key}" can't be read. Run repair; its entries may all be there.`)
}
