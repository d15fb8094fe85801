import type { JsonObject } from '../contract/json.ts'
import { fromBase64, toBase64 } from '../domain/base64.ts'

/** A key that stands for a kind of value, with a `$` more for each time that an object with such a key was encoded. */
const marker = /^\$+(?:date|bytes)$/

/**
 * Makes JSON of values that hosts have in messages: a `Date` becomes `{ $date }`, a `Uint8Array` becomes `{ $bytes }` in
 * base64. Everything else stays as it is, so that the store names what can't be stored.
 */
export function encodeValues(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.toJSON() }
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) }
  if (Array.isArray(value)) return value.map(encodeValues)
  return isPlain(value) ? mapObject(value, encodeValues, (key) => (marker.test(key) ? `$${key}` : key)) : value
}

/** Undoes {@link encodeValues}. JSON of others stays as it is, where it does not look the same. */
export function decodeValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decodeValues)
  if (!isPlain(value)) return value
  const { $date, $bytes } = value
  if (Object.keys(value).length === 1) {
    // An invalid Date has no text.
    if (typeof $date === 'string' || $date === null) return new Date($date ?? Number.NaN)
    if (typeof $bytes === 'string') return bytesOf($bytes) ?? value
  }
  return mapObject(value, decodeValues, (key) => (marker.test(key) && key.startsWith('$$') ? key.slice(1) : key))
}

/** `undefined` for what is not base64: it has the key by chance, in JSON of others. */
function bytesOf(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}

function mapObject(
  source: JsonObject,
  mapValue: (value: unknown) => unknown,
  mapKey: (key: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(source).map(([key, value]) => [mapKey(key), mapValue(value)]))
}

function isPlain(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
