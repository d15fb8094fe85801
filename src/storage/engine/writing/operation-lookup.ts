import type { CoreBackend } from '../../../contract/backend.ts'
import type { OperationRow, SessionRows } from '../../../contract/rows.ts'
import { findFormerOperation } from './former-operations.ts'

export interface OperationLookupParts {
  readonly backend: Pick<CoreBackend, 'findOperation' | 'loadSession'>
  readonly now: () => number
  /** Whether an operation id can't have been stored before this store was opened. */
  readonly isFresh: (operationId: string) => boolean
}

export interface OperationLookup {
  /** The operation as it was stored, when it was. @param since - when it was called for */
  readonly find: (rows: SessionRows, id: string, since: number) => OperationRow | undefined | Promise<OperationRow | undefined>
  /** That one was stored by this writer. */
  readonly remember: (id: string) => void
}

/** After so long a page may have given up a worker that hung, and have had the call done elsewhere. Clocks jump both ways. */
const freshMs = 2000

/** Own ids that are remembered, of whatever session. Who drew one for this writer repeats it at once, or to another writer. */
const ownKept = 8192

/** Finds operations by their ids, without reading anything for those that can only be new. What it remembers itself belongs to no session. */
export function createOperationLookup({ backend, now, isFresh }: OperationLookupParts): OperationLookup {
  const own = new Set<string>()
  return {
    find: (rows, id, since) => {
      const { hot } = rows
      // One that was done anew may be there twice.
      const recent = hot.recent.findLast((operation) => operation.id === id)
      const isNew = isFresh(id) && !own.has(id) && Math.abs(now() - since) < freshMs
      if (recent !== undefined || hot.version === 0 || isNew) return recent && structuredClone(recent)
      const found = backend.findOperation(hot.session, id)
      return hot.formerly === undefined ? found : found.then((operation) => operation ?? findFormerOperation(backend, rows, id))
    },
    remember: (id) => {
      // The others are looked up anyway.
      if (!isFresh(id)) return
      if (own.size === ownKept) own.clear()
      own.add(id)
    },
  }
}
