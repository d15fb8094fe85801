import type { JsonObject, JsonValue } from '../contract/json.ts'

/**
 * The canonical JSON text of a value (RFC 8785): no white space, members sorted by the UTF-16 code units of their keys,
 * numbers and escapes as in `JSON.stringify`. Two values have the same text exactly when they are deep-equal.
 * `undefined` members are left out. Takes the results of {@link normaliseJson}; a lone surrogate is written as its
 * escape, where the RFC requires an error.
 */
export function canonicalJson(value: JsonValue): string {
  // This is our own code because every append runs it: on entries and messages of 1 kB the package `canonicalize` 4.0
  // takes 1.8 to 2.3 times as long in Node 20, and 2.2 to 2.4 times in Chromium.
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || typeof value !== 'object') return String(value)
  if (isList(value)) {
    let text = '['
    for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + canonicalJson(value[i] as JsonValue)
    return `${text}]`
  }
  let text = '{'
  for (const key of sorted(Object.keys(value))) {
    const member = value[key]
    if (member !== undefined) text += `${(text === '{' ? '' : ',') + quoted(key)}:${canonicalJson(member)}`
  }
  return `${text}}`
}

function isList(value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/**
 * Sorts in place. Most objects have a handful of members, often in order already, so that `sort()` takes longer to
 * start than this takes in all.
 */
function sorted(keys: string[]): string[] {
  if (keys.length > 16) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}

function quoted(key: string): string {
  return /^\w{0,40}$/.test(key) ? `"${key}"` : JSON.stringify(key)
}
