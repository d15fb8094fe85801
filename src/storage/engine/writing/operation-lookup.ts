import type { CoreBackend } from '../../../contract/backend.ts'
import type { OperationRow } from '../../../contract/operation-row.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { findFormerOperation } from './former-operations.ts'

export interface OperationLookupParts {
  readonly backend: Pick<CoreBackend, 'findOperation' | 'loadSession'>
  readonly now: () => number
  /** Whether an operation id can't have been stored before this store was opened. */
  readonly isFresh: (operationId: string) => boolean
}

export interface OperationLookup {
  /** The stored operation, if there is one. @param since - when the call was made */
  readonly find: (
    rows: SessionRows,
    id: string,
    since: number,
  ) => OperationRow | undefined | Promise<OperationRow | undefined>
  /** An operation was stored by this writer. */
  readonly remember: (id: string) => void
}

/**
 * After this time a page may have given up a hung worker, and repeated the call elsewhere. Clocks jump in both
 * directions.
 */
const freshMs = 2000

/**
 * How many own ids are remembered, over all sessions. A caller that drew an id for this writer repeats it at once, or
 * in another writer.
 */
const ownKept = 8192

/**
 * Finds operations by their ids, without a read for those that can only be new. The ids that it remembers belong to no
 * session.
 */
export function createOperationLookup({ backend, now, isFresh }: OperationLookupParts): OperationLookup {
  const own = new Set<string>()
  return {
    find: (rows, id, since) => {
      const { hot } = rows
      // An operation that was done again may be there twice.
      const recent = hot.recent.findLast((operation) => operation.id === id)
      const isNew = isFresh(id) && !own.has(id) && Math.abs(now() - since) < freshMs
      if (recent !== undefined || hot.version === 0 || isNew) return recent && structuredClone(recent)
      const found = backend.findOperation(hot.session, id)
      return hot.formerly === undefined
        ? found
        : found.then((operation) => operation ?? findFormerOperation(backend, rows, id))
    },
    remember: (id) => {
      // Other ids are looked up anyway.
      if (!isFresh(id)) return
      if (own.size === ownKept) own.clear()
      own.add(id)
    },
  }
}
