import { SessionError } from '../contract/errors.ts'
import type { DoneRowsOperation, RowsOperation, StoredRow, StoredRowWrite } from '../contract/stored-row.ts'

/** How many operations on rows a store remembers at least (B9). */
export const rowOperationsKept = 256

/** What ops on rows come to. */
export interface RowEffects {
  /** Of each op whether it changed something. */
  readonly changed: readonly boolean[]
  /** The rows to store by key; `undefined`: to delete. */
  readonly rows: ReadonlyMap<string, StoredRow | undefined>
}

/** Keys of which the ops must know whether there is a row. */
export function askedKeys(ops: readonly StoredRowWrite[]): ReadonlySet<string> {
  const met = new Set<string>()
  const asked = new Set<string>()
  for (const { type, key } of ops) {
    if (type !== 'put' && !met.has(key)) asked.add(key)
    met.add(key)
  }
  return asked
}

/** Applies ops in their order. @param isStored - whether there is a row, for the {@link askedKeys} */
export function effectsOf(ops: readonly StoredRowWrite[], isStored: (key: string) => boolean): RowEffects {
  const rows = new Map<string, StoredRow | undefined>()
  const isThere = (key: string): boolean => (rows.has(key) ? rows.get(key) !== undefined : isStored(key))
  const changed = ops.map((op) => {
    const { type, key } = op
    const isChange = type === 'put' || isThere(key) === (type === 'delete')
    if (isChange) rows.set(key, type === 'delete' ? undefined : op.row)
    return isChange
  })
  return { changed, rows }
}

/** The outcome of an operation that was stored before. @throws OperationConflict when it was another one */
export function repeatedChanges(
  { print, changed }: DoneRowsOperation,
  { id, prints }: RowsOperation,
): readonly boolean[] {
  if (prints.includes(print)) return changed
  throw new SessionError(
    'OperationConflict',
    `Operation "${id}" was stored before with other ops, collection or values. Nothing was written. Use another id.`,
  )
}
