import type { CoreBackend } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import {
  type CollectionRow,
  mostRows,
  type RowPage,
  type RowRange,
  type RowValue,
} from '../../../contract/store/collections.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { valueOfRow } from '../../../domain/row-value.ts'
import type { Engine } from '../engine.ts'
import { checkTerm } from '../lifecycle/term-method.ts'
import { checkDurability } from '../writing/input.ts'
import { isHard } from '../writing/strictest.ts'
import { checkCollection, checkRowKeys } from './check-row-names.ts'
import { checkRowWrites, rowsOperationOf } from './check-row-writes.ts'
import { keysOfRange } from './keys-of-range.ts'

/** The methods for rows beside the sessions. They keep nothing in memory: each call asks the backend. */
export function createCollectionMethods({
  backend,
  onChange,
}: Pick<Engine, 'backend' | 'onChange'>): Pick<SessionStore, 'getRows' | 'listRows' | 'writeRows'> {
  return {
    getRows: async (collection, keys) => {
      checkCollection(collection)
      checkRowKeys(keys)
      const found = await backend.getRows(collection, keys)
      return found.map((row, i) => {
        const value = valueOfRow(row)
        if (row !== undefined && value === undefined) throw damagedRow(collection, keys[i]!)
        return value
      })
    },
    listRows: async (collection, range = {}) => {
      checkCollection(collection)
      return readPage(backend, collection, range)
    },
    writeRows: async (collection, ops, options = {}) => {
      checkCollection(collection)
      const checked = checkRowWrites(ops)
      const durability = checkDurability(options) ?? 'relaxed'
      const operation = rowsOperationOf(options, collection, checked)
      const rows = { collection, ops: checked, ...checkTerm(options), ...(operation && { operation }) }
      if (checked.length === 0) return []
      const outcome = await backend.commit({ sessions: [], erase: [], rows }, durability)
      const { changed = [] } = outcome as { readonly changed?: readonly boolean[] }
      const keys = new Set(checked.flatMap(({ key }, i) => (changed[i] ? [key] : [])))
      if (keys.size > 0)
        onChange({ type: 'collection', collection, keys: [...keys], ...(isHard(durability) && { strict: true }) })
      return changed
    },
  }
}

async function readPage(backend: CoreBackend, collection: string, range: RowRange): Promise<RowPage> {
  const { from, to, reverse, limit } = keysOfRange(range, mostRows)
  if (to !== undefined && from >= to) return { rows: [] }
  const found = await backend.rangeRows({ collection, from, to, reverse, limit })
  const rows: CollectionRow[] = []
  const unreadable: string[] = []
  for (const { key, row } of found.rows) {
    const value: RowValue | undefined = valueOfRow(row)
    if (value === undefined) unreadable.push(key)
    else rows.push({ key, value })
  }
  return { rows, ...(unreadable.length > 0 && { unreadable }), ...(found.more && { next: found.rows.at(-1)!.key }) }
}

const damagedRow = (collection: string, key: string): SessionError =>
  new SessionError(
    'ChecksumMismatch',
    `Row "${key}" of collection "${collection}" can't be read. Put it again, or run repair, which sets it aside.`,
  )
