import type { FoundRow, RowsWrite, StoredRow } from '../contract/stored-row.ts'
import { storedRow } from '../domain/row-value.ts'
import { isSealed } from './sealed-rows.ts'
import { keyOfSealed, type Sealer } from './sealer.ts'
import { unlessUnsealable } from './unseal-stored.ts'

/** A row of a collection whose value is sealed. */
interface SealedRow extends StoredRow {
  /** The id of the key and a dot; the bytes are in `data`. */
  readonly sealed: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Collections and keys stay plain, because rows are found and ordered by them. */
const rowPlace = (collection: string, key: string): string => `row ${JSON.stringify([collection, key])}`

/** The first byte says whether the rest is JSON text or bytes. */
export async function sealRow(sealer: Sealer, collection: string, key: string, row: StoredRow): Promise<SealedRow> {
  const content = typeof row.data === 'string' ? encoder.encode(row.data) : row.data
  const whole = new Uint8Array(1 + content.length)
  whole[0] = typeof row.data === 'string' ? 0 : 1
  whole.set(content, 1)
  const id = sealer.keyId()
  const data = await sealer.sealBytes(whole, rowPlace(collection, key), id)
  return { data, size: row.size, crc: 0, sealed: `${id}.` }
}

/** A plain row is returned as it is. @throws Unsealable, WrongPassphrase */
export async function unsealRow(sealer: Sealer, collection: string, key: string, row: StoredRow): Promise<StoredRow> {
  if (!isSealed(row)) return row
  const id = keyOfSealed(row.sealed)
  const whole = await sealer.openBytes(row.data as Uint8Array<ArrayBuffer>, rowPlace(collection, key), id)
  const content = whole.slice(1)
  return storedRow(whole[0] === 0 ? (JSON.parse(decoder.decode(content)) as never) : content)
}

/** A row that can't be unsealed counts as one that can't be read. */
export async function unsealFound(sealer: Sealer, collection: string, key: string, row: FoundRow): Promise<FoundRow> {
  return row && unsealRow(sealer, collection, key, row).catch(unlessUnsealable(() => null))
}

/** The prints are sealed, too: they are checksums, and would reveal short values. */
export async function sealRowsWrite(sealer: Sealer, write: RowsWrite): Promise<RowsWrite> {
  const { collection, ops, operation } = write
  return {
    ...write,
    ops: await Promise.all(
      ops.map(async (op) =>
        op.type === 'delete' ? op : { ...op, row: await sealRow(sealer, collection, op.key, op.row) },
      ),
    ),
    ...(operation && { operation: { ...operation, prints: await sealedPrints(sealer, operation.prints) } }),
  }
}

/** The one that is stored comes first, then those that were stored under other keys, or before the store was sealed. */
async function sealedPrints(sealer: Sealer, prints: readonly string[]): Promise<readonly string[]> {
  const [print = ''] = prints
  return [await sealer.token(print), ...(await sealer.tokens(print)), print]
}

/**
 * What is remembered of an operation, with its print sealed; `undefined` when it stays as it is. Only plain prints have
 * a colon.
 */
export async function withSealedPrint(sealer: Sealer, done: unknown): Promise<unknown> {
  const print = (done as Partial<{ readonly print: unknown }> | undefined)?.print
  if (typeof print !== 'string' || !print.includes(':')) return undefined
  return { ...(done as object), print: await sealer.token(print) }
}
