import { SessionError } from '../../../contract/errors.ts'
import type { JsonValue } from '../../../contract/json.ts'
import { mostRowWrites, type RowWrite } from '../../../contract/store/collections.ts'
import type { WriteOptions } from '../../../contract/store/write-options.ts'
import type { RowsOperation, StoredRow, StoredRowWrite } from '../../../contract/stored-row.ts'
import { copyPlainJson } from '../../../domain/copy-plain.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { isBytes, storedRow } from '../../../domain/row-value.ts'
import { describeValue } from '../describe-value.ts'
import { operationOf } from '../writing/input.ts'
import { checkRowKey } from './check-row-names.ts'

/** The largest value in bytes: in base64 it fits in a line of an archive. */
const mostBytes = 8 * 1024 * 1024

/** Checks and copies ops. @throws InvalidInput, TooLarge */
export function checkRowWrites(ops: readonly unknown[]): readonly StoredRowWrite[] {
  if (ops.length > mostRowWrites)
    throw new SessionError(
      'TooLarge',
      `writeRows takes at most ${mostRowWrites} ops, got ${ops.length}. Nothing was written. Split them.`,
    )
  return ops.map((given, i) => {
    const { type, key, value } = (given ?? {}) as Partial<RowWrite> & { readonly value?: unknown }
    const name = `ops[${i}]`
    checkRowKey(key, `${name}.key`)
    if (type === 'delete') return { type, key }
    if (type === 'put' || type === 'insertIfAbsent') return { type, key, row: checkedRow(value, `${name}.value`) }
    throw new SessionError(
      'InvalidInput',
      `${name}.type must be "put", "insertIfAbsent" or "delete", got ${describeValue(type)}. Nothing was written.`,
    )
  })
}

function checkedRow(value: unknown, name: string): StoredRow {
  if (!isBytes(value))
    return storedRow(copyPlainJson(value) ?? normaliseJson(value, { path: name, maxBytes: mostBytes }).value)
  if (value.length <= mostBytes) return storedRow(value)
  throw new SessionError(
    'TooLarge',
    `${name} has ${value.length} bytes, and may have ${mostBytes}. Nothing was written. Store it as a blob, and put its hash here.`,
  )
}

/** The operation that a call is. @throws InvalidInput */
export function rowsOperationOf(
  options: WriteOptions,
  collection: string,
  ops: readonly StoredRowWrite[],
): RowsOperation | undefined {
  const parts = ops.map((op) => [
    op.type,
    op.key,
    ...(op.type === 'delete' ? [] : [typeof op.row.data, op.row.crc, op.row.size]),
  ])
  const called = operationOf(options, 'writeRows', [collection, parts] as JsonValue)
  return called && { id: called.id, prints: [called.fingerprint] }
}
