import type { JsonValue } from '../../../contract/json.ts'
import { pythonJson } from '../rules/python-json.ts'

/** JSON as Python's `json.dumps` writes it, in ASCII only. */
export function asciiJson(value: JsonValue): string {
  // In JSON, characters beyond ASCII occur only within strings.
  return pythonJson(value).replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
