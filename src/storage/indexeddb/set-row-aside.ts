import type { StoredRow } from '../../contract/stored-row.ts'
import { valueOfRow } from '../../domain/row-value.ts'
import { isSameRow } from './row-access.ts'
import { isValueLost } from './storage-error.ts'
import type { WriteSteps } from './transaction.ts'

/** {@link StorageBackend.setRowAside}: the stored value moves to `aside`, unless somebody replaced it meanwhile. */
export function setRowAside(
  steps: WriteSteps,
  collection: string,
  key: string,
  broken: StoredRow | undefined,
  done: () => void,
): void {
  const rows = steps.store('rows')
  const drop = (): void => {
    rows.delete([collection, key])
    done()
  }
  const move = (found: StoredRow | undefined): void => {
    const isBroken = broken === undefined ? valueOfRow(found) === undefined : isSameRow(found, broken)
    if (found === undefined || !isBroken) return
    steps.store('aside').put([found], ['rows', collection, key])
    drop()
  }
  steps.attempt<StoredRow | undefined>(rows.get([collection, key]), move, (error) => {
    if (!isValueLost(error)) throw error
    // There is nothing to keep. Only its space is freed.
    drop()
  })
}
