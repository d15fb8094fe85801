import { createDecoder, hasContent, readAny } from 'lib0/decoding'
import { createEncoder, toUint8Array, writeAny } from 'lib0/encoding'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Bytes } from './bytes.ts'

/** The only encoding of a value, whatever the order of its members: lib0's `any` with sorted members. */
export function packValue(value: JsonValue): Bytes {
  const encoder = createEncoder()
  writeAny(encoder, sortMembers(value))
  return toUint8Array(encoder) as Bytes
}

/**
 * @returns `undefined` for bytes that are not a value. The caller has to check whether {@link packValue} gives the same
 * bytes.
 */
export function unpackValue(bytes: Uint8Array): JsonValue | undefined {
  try {
    const decoder = createDecoder(bytes)
    const value = readAny(decoder) as JsonValue
    return hasContent(decoder) ? undefined : value
  } catch {
    return undefined
  }
}

/** The value with its members in the order in which they are packed. */
export function sortMembers(value: JsonValue): Parameters<typeof writeAny>[1] {
  // JSON does not distinguish −0 from 0.
  if (value === 0) return 0
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(sortMembers)
  const object = value as JsonObject
  const members = Object.keys(object)
    .sort()
    .filter((name) => object[name] !== undefined)
  return Object.fromEntries(members.map((name) => [name, sortMembers(object[name]!)]))
}
