import { SessionError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { RowValue } from '../../contract/store/collections.ts'
import { joinBytes } from '../byte-pieces.ts'

/**
 * Puts JSON and several byte arrays into one: a row then needs no second row that says what its bytes are. Layout: a line
 * of JSON `[value, lengths]`, and the bytes.
 */
export function packRecord(value: JsonValue, bodies: readonly Uint8Array[]): Uint8Array {
  const head = JSON.stringify([value, bodies.map(({ length }) => length)])
  return joinBytes([new TextEncoder().encode(`${head}\n`), ...bodies])
}

/**
 * Undoes {@link packRecord}. Bytes that follow the record are ignored.
 *
 * @throws ChecksumMismatch when these are no such bytes
 */
export function unpackRecord<Value>(
  record: RowValue | undefined,
  key: string,
): { value: Value; bodies: readonly Uint8Array[] } {
  try {
    const bytes = record as Uint8Array
    // JSON has no line breaks.
    let at = bytes.indexOf(10) + 1
    const [value, lengths] = JSON.parse(new TextDecoder().decode(bytes.subarray(0, at)))
    const bodies = (lengths as number[]).map((length) => bytes.subarray(at, (at += length)))
    if (at <= bytes.length) return { value, bodies }
  } catch {
    // It is not what this adapter writes.
  }
  throw damaged(key, 'is not what the adapter for LangGraph stores')
}

/** A row that is not as it was written. */
export const damaged = (key: string, how: string): SessionError =>
  new SessionError(
    'ChecksumMismatch',
    `Row "${key}" of the collection ${how}. Restore it from an archive, or delete its thread or item.`,
  )
