import type { Collection } from '../../client/collection.ts'
import { drawId } from '../../client/session/draw-id.ts'
import { runExclusively } from '../../client/worker/run-exclusively.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { RowValue, RowWrite } from '../../contract/store/collections.ts'
import { namesOf } from '../../domain/names-of.ts'
import { normaliseJson } from '../../domain/normalise.ts'
import { cutPieces, joinBytes } from '../byte-pieces.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'
import { unless } from '../unless.ts'

/** JSON texts up to this length are in the row of their key, so that listing keys reads little of large values. */
const inlineLength = 65_536

/** The row of a key: its value, or in how many pieces the value's text is, and under which id. */
type Head = EncodedValue | { readonly pieces: number; readonly id: string }

/** What a write does with rows: `undefined` deletes. */
type Changes = ReadonlyMap<string, EncodedValue | undefined>

/** A value as it is stored. */
interface EncodedValue {
  readonly value: JsonValue
}

/** Values of any size in the rows of a collection. */
export interface StoredValues {
  /** @throws ChecksumMismatch when it can't be read */
  get(row: string): Promise<{ readonly value: unknown } | undefined>
  has(row: string): Promise<boolean>
  /** The rows that begin with a prefix, in the order of their keys; those that can't be read are the last of a page. */
  list(prefix: string): AsyncGenerator<{ readonly row: string; read(): Promise<unknown> }, void>
  /** Applies changes in one commit. @throws InvalidInput, TooLarge, QuotaExceeded */
  write(changes: Changes): Promise<void>
}

/** @param store - name of the store that the collection is in */
export function createStoredValues(collection: Collection, store: string): StoredValues {
  const lock = `${namesOf(store)}:rows:${collection.name}`

  /** `undefined` when the pieces are not there any more. */
  async function read(head: Head): Promise<{ readonly value: unknown } | undefined> {
    if (!('pieces' in head)) return { value: decodeValues(head.value) }
    const pieces = await collection.getAll(pieceRows(head))
    if (!pieces.every((piece) => piece instanceof Uint8Array)) return undefined
    return { value: decodeValues(JSON.parse(new TextDecoder().decode(joinBytes(pieces as Uint8Array[])))) }
  }
  async function get(row: string): Promise<{ readonly value: unknown } | undefined> {
    let before: Head | undefined
    for (;;) {
      const head = headOf(await collection.get(row), row)
      if (head === undefined) return undefined
      const found = await read(head)
      if (found !== undefined) return found
      // Another tab replaced the value meanwhile, or pieces of it are lost.
      if (before !== undefined && JSON.stringify(before) === JSON.stringify(head)) throw damaged(row)
      before = head
    }
  }
  /** What rows have that are written over. One that can't be read must not be in the way of that. */
  async function oldHeads(rows: readonly string[]): Promise<readonly Head[]> {
    const values = await collection.getAll(rows).catch(async (error: unknown) => {
      unlessDamaged(error)
      return Promise.all(rows.map((row) => collection.get(row).catch(unlessDamaged)))
    })
    return values.filter(isHead)
  }
  async function* list(prefix: string): AsyncGenerator<{ readonly row: string; read(): Promise<unknown> }, void> {
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      const page = await collection.range({ prefix, limit: 1000, ...(after === undefined ? {} : { after }) })
      for (const { key, value } of page.rows)
        yield { row: key, read: async () => ((await read(headOf(value, key)!)) ?? (await get(key)))?.value }
      for (const row of page.unreadable ?? []) yield { row, read: async () => (await get(row))?.value }
      after = page.next
    }
  }

  return {
    get,
    has: async (row) => (await collection.get(row)) !== undefined,
    list,
    write: (changes) => {
      const ops = [...changes].flatMap(([row, change]) => opsOf(row, change))
      // Two writes that replace one large value at once would each leave the pieces of the other behind.
      return runExclusively(lock, async () => {
        const stale = (await oldHeads([...changes.keys()])).flatMap((head) => ('pieces' in head ? pieceRows(head) : []))
        const removals = stale.map((key): RowWrite => ({ type: 'delete', key }))
        await collection.write([...removals, ...ops], { durability: 'strict' })
      })
    },
  }
}

/** @throws InvalidInput for what is not JSON, Date or Uint8Array */
export const encodeValue = (value: unknown): EncodedValue =>
  normaliseJson(encodeValues(value), { maxBytes: Number.POSITIVE_INFINITY })

function opsOf(row: string, change: EncodedValue | undefined): readonly RowWrite[] {
  if (change === undefined) return [{ type: 'delete', key: row }]
  const text = JSON.stringify(change.value)
  if (text.length <= inlineLength) return [{ type: 'put', key: row, value: { value: change.value } }]
  const pieces = cutPieces(new TextEncoder().encode(text))
  const head = { pieces: pieces.length, id: drawId() }
  const rows = pieceRows(head)
  return [
    { type: 'put', key: row, value: head },
    ...pieces.map((piece, i): RowWrite => ({ type: 'put', key: rows[i]!, value: piece })),
  ]
}

/** Rows of values begin with the name of a store and a slash, so that none of them begins with one. */
const pieceRows = ({ pieces, id }: { readonly pieces: number; readonly id: string }): string[] =>
  Array.from({ length: pieces }, (_, i) => `/${id}/${i}`)

function headOf(value: RowValue | undefined, row: string): Head | undefined {
  if (value === undefined || isHead(value)) return value
  throw damaged(row)
}

function isHead(value: unknown): value is Head & RowValue {
  const head = value as Partial<Extract<Head, { id: string }>> | null | undefined
  return typeof head === 'object' && head !== null && ('value' in head || Number.isSafeInteger(head.pieces))
}

const unlessDamaged = unless('ChecksumMismatch')

const damaged = (row: string): SessionError =>
  new SessionError(
    'ChecksumMismatch',
    `Row "${row}" of the collection is not what createStorageBackend stored. Restore it from an archive, or delete it.`,
  )
