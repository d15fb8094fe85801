import type { CollectionUsage } from '../contract/store/collections.ts'
import type { DoneRowsOperation, FoundRow, RowsRead, RowsResult, RowsWrite, StoredRow } from '../contract/stored-row.ts'
import { effectsOf, repeatedChanges, rowOperationsKept } from './row-effects.ts'

/** The collections of the memory backend. */
export interface MemoryRows {
  get(collection: string, key: string): FoundRow
  range(read: RowsRead): RowsResult
  /**
   * Begins a write, which a call of `store` completes. @throws OperationConflict
   */
  begin(write: RowsWrite): { readonly changed: readonly boolean[]; store(): void }
  usage(): readonly CollectionUsage[]
}

/** The rows of one collection, and their keys in order. */
interface Shelf {
  readonly rows: Map<string, StoredRow>
  readonly keys: string[]
}

export function createMemoryRows(): MemoryRows {
  const shelves = new Map<string, Shelf>()
  const done = new Map<string, DoneRowsOperation>()

  function put({ rows, keys }: Shelf, key: string, row: StoredRow): void {
    if (!rows.has(key)) keys.splice(placeOf(keys, key), 0, key)
    rows.set(key, row)
  }

  function drop({ rows, keys }: Shelf, key: string): void {
    if (rows.delete(key)) keys.splice(placeOf(keys, key), 1)
  }

  return {
    get: (collection, key) => shelves.get(collection)?.rows.get(key),
    range: ({ collection, from, to, reverse, limit }) => {
      const { rows, keys } = shelves.get(collection) ?? { rows: new Map<string, StoredRow>(), keys: [] }
      const low = placeOf(keys, from)
      const high = to === undefined ? keys.length : placeOf(keys, to)
      const inside = reverse
        ? keys.slice(Math.max(low, high - limit), high).reverse()
        : keys.slice(low, Math.min(high, low + limit))
      return { rows: inside.map((key) => ({ key, row: rows.get(key) })), more: high - low > limit }
    },
    begin: ({ collection, ops, operation }) => {
      const before = operation && done.get(operation.id)
      if (operation !== undefined && before !== undefined)
        return { changed: repeatedChanges(before, operation), store: () => undefined }
      const shelf = shelves.get(collection) ?? { rows: new Map(), keys: [] }
      const { changed, rows } = effectsOf(ops, (key) => shelf.rows.has(key))
      const store = (): void => {
        for (const [key, row] of rows) row === undefined ? drop(shelf, key) : put(shelf, key, row)
        if (shelf.keys.length > 0) shelves.set(collection, shelf)
        else shelves.delete(collection)
        if (operation === undefined) return
        done.set(operation.id, { print: operation.prints[0]!, changed })
        if (done.size > rowOperationsKept) done.delete(done.keys().next().value!)
      }
      return { changed, store }
    },
    usage: () =>
      [...shelves]
        .map(([name, { rows }]) => ({
          name,
          rows: rows.size,
          bytes: [...rows.values()].reduce((sum, { size }) => sum + size, 0),
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** How many keys are below one. */
function placeOf(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keys[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}
