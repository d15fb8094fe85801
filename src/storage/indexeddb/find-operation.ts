import type { OperationRow } from '../../contract/operation-row.ts'
import { countOf } from './counted-id.ts'
import { operationsIn } from './operations-in.ts'
import { readValues } from './read-keyed-values.ts'
import type { KeyRanges } from './record-keys.ts'
import type { ReadSteps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

/**
 * Finds an operation by its id: in a row of its own, or in the last row that starts at or before its number. Later
 * operations never lie in between.
 */
export function findOperation(
  steps: ReadSteps<OperationRow | undefined>,
  ranges: KeyRanges,
  session: number,
  id: string,
): void {
  const store = steps.store('operations')
  let found: OperationRow | undefined
  const take = (value: unknown): void => {
    found ??= operationsIn(value).findLast((operation) => operation.id === id)
  }
  const unread = unlessLost(() => undefined)
  steps.attempt<unknown>(store.get([session, id]), take, unread)
  const counted = countOf(id)
  if (counted !== undefined) {
    steps.attempt<IDBCursorWithValue | null>(
      store.openCursor(ranges.runsUpTo(session, counted.stem, counted.count), 'prev'),
      (row) => take(row?.value),
      unread,
    )
  }
  // Older rows have the count of their first operation as the key.
  readValues(steps, 'operations', ranges.numbered(session), (commits) => {
    for (const { value } of [...commits].reverse()) take(value)
    steps.answer(found)
  })
}
