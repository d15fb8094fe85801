import { SessionError } from '../../contract/errors.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { RowValue } from '../../contract/store/collections.ts'

/** The most that a row holds, in bytes. */
const mostBytes = 8 * 1024 * 1024

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

/** Cuts bytes into what rows can hold: one piece at least. */
export function cutPieces(bytes: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += mostBytes) pieces.push(bytes.subarray(at, at + mostBytes))
  return pieces
}

/** Also undoes {@link cutPieces}. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** A row that is not as it was written. */
export const damaged = (key: string, how: string): SessionError =>
  new SessionError(
    'ChecksumMismatch',
    `Row "${key}" of the collection ${how}. Restore it from an archive, or delete its thread or item.`,
  )
