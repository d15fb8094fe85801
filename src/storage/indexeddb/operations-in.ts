import type { OperationRow } from '../../contract/operation-row.ts'

/** The operations in a stored row. */
export function operationsIn(value: unknown): readonly OperationRow[] {
  const isOperation = (one: Partial<OperationRow> | null | undefined): one is OperationRow =>
    typeof one?.id === 'string' && typeof one.n === 'number'
  return Array.isArray(value) ? value.filter(isOperation) : []
}
