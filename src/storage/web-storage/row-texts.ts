import type { CollectionUsage } from '../../contract/store/collections.ts'
import type {
  DoneRowsOperation,
  FoundRow,
  RowsOperation,
  RowsRead,
  RowsResult,
  RowsWrite,
  StoredRow,
} from '../../contract/stored-row.ts'
import { fromBase64, toBase64 } from '../../domain/base64.ts'
import { valueOfRow } from '../../domain/row-value.ts'
import { utf8Length } from '../../domain/utf8.ts'
import { effectsOf, repeatedChanges, rowOperationsKept } from '../row-effects.ts'
import type { TextWrite } from './write-texts.ts'

/** The rows of collections, a text each. */
export interface RowTexts {
  get(collection: string, key: string): FoundRow
  range(read: RowsRead): RowsResult
  /** The texts that a write comes to, and its outcome. @throws OperationConflict */
  plan(write: RowsWrite): { readonly changed: readonly boolean[]; readonly texts: readonly TextWrite[] }
  /** The texts that move a row out of the way; none if it can be read. */
  asideOf(collection: string, key: string): readonly TextWrite[]
  usage(): readonly CollectionUsage[]
}

/**
 * A row lies under `<name>:row:"<collection as JSON>":<key>`, as `<crc> ` and then `j` with JSON text, or `b` with
 * base64. A text that can't be read is moved to `<name>:row-aside:…`. The remembered operations are one text,
 * `<name>:row-operations`.
 */
export function createRowTexts(storage: Storage, name: string): RowTexts {
  const prefix = `${name}:row:`
  const operationsKey = `${name}:row-operations`
  const keyOf = (collection: string, key = ''): string => `${prefix}${JSON.stringify(collection)}:${key}`

  function keysUnder(start: string): string[] {
    const found: string[] = []
    for (let i = 0; i < storage.length; i++) {
      const key = storage.key(i)
      if (key?.startsWith(start)) found.push(key.slice(start.length))
    }
    return found.sort()
  }

  function operations(): Map<string, DoneRowsOperation> {
    try {
      return new Map(JSON.parse(storage.getItem(operationsKey) ?? '[]') as [])
    } catch {
      // A damaged text remembers nothing.
      return new Map()
    }
  }

  /** The text with one more operation, without the oldest ones. */
  function operationsWith(
    known: Map<string, DoneRowsOperation>,
    { id, prints }: RowsOperation,
    changed: readonly boolean[],
  ): TextWrite {
    known.set(id, { print: prints[0]!, changed })
    return { key: operationsKey, text: JSON.stringify([...known].slice(-rowOperationsKept)) }
  }

  const get: RowTexts['get'] = (collection, key) => {
    const text = storage.getItem(keyOf(collection, key))
    return text === null ? undefined : rowOf(text)
  }

  return {
    get,
    range: ({ collection, from, to, reverse, limit }) => {
      const keys = keysUnder(keyOf(collection)).filter((key) => key >= from && (to === undefined || key < to))
      const inside = (reverse ? keys.reverse() : keys).slice(0, limit)
      return { rows: inside.map((key) => ({ key, row: get(collection, key) })), more: keys.length > limit }
    },
    plan: ({ collection, ops, operation }) => {
      const known = operation === undefined ? undefined : operations()
      const before = operation && known?.get(operation.id)
      if (operation !== undefined && before !== undefined)
        return { changed: repeatedChanges(before, operation), texts: [] }
      const { changed, rows } = effectsOf(ops, (key) => storage.getItem(keyOf(collection, key)) !== null)
      const texts: TextWrite[] = Array.from(rows, ([key, row]) => ({
        key: keyOf(collection, key),
        text: row && textOf(row),
      }))
      if (operation !== undefined) texts.push(operationsWith(known!, operation, changed))
      return { changed, texts }
    },
    asideOf: (collection, key) => {
      const place = keyOf(collection, key)
      const text = storage.getItem(place)
      if (text === null || valueOfRow(rowOf(text)) !== undefined) return []
      return [
        { key: `${name}:row-aside:${place.slice(prefix.length)}`, text },
        { key: place, text: undefined },
      ]
    },
    usage: () => {
      const sums = new Map<string, { rows: number; bytes: number }>()
      for (const place of keysUnder(prefix)) {
        const collection = collectionIn(place)
        if (collection === undefined) continue
        const { rows, bytes } = sums.get(collection) ?? { rows: 0, bytes: 0 }
        sums.set(collection, { rows: rows + 1, bytes: bytes + (rowOf(storage.getItem(prefix + place)!)?.size ?? 0) })
      }
      return [...sums].map(([one, sum]) => ({ name: one, ...sum })).sort((a, b) => (a.name < b.name ? -1 : 1))
    },
  }
}

/** The collection that a place belongs to. */
function collectionIn(place: string): string | undefined {
  const [literal] = /^"(?:[^"\\]|\\.)*"(?=:)/.exec(place) ?? []
  return literal === undefined ? undefined : (JSON.parse(literal) as string)
}

const textOf = ({ data, crc }: StoredRow): string =>
  typeof data === 'string' ? `${crc} j${data}` : `${crc} b${toBase64(data)}`

function rowOf(text: string): StoredRow | null {
  const [head, crc, kind] = /^(\d+) ([jb])/.exec(text) ?? []
  if (head === undefined) return null
  const body = text.slice(head.length)
  try {
    const data = kind === 'j' ? body : fromBase64(body)
    return { data, size: typeof data === 'string' ? utf8Length(data) : data.length, crc: Number(crc) }
  } catch {
    // It is not base64.
    return null
  }
}
