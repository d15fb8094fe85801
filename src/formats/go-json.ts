import type { JsonValue } from '../contract/json.ts'

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** JSON text as Go's encoder writes it: characters that are unsafe in HTML and old JavaScript are escaped. */
export function goJson(value: JsonValue, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character]!)
}
