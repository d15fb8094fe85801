import type { JsonObject, JsonValue } from '../../contract/json.ts'

/** JSON as Python's `json.dumps` writes it: `", "` and `": "` between things, ASCII only. */
export function pythonJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(pythonJson).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value as JsonObject).flatMap(([key, member]) => (member === undefined ? [] : [`${quoted(key)}: ${pythonJson(member)}`]))
    return `{${members.join(', ')}}`
  }
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value)
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
