import type { JsonObject, JsonValue } from '../../../contract/json.ts'

/**
 * The text that Python's `json.dumps(value, ensure_ascii=False)` returns: a space after each comma and colon, members
 * in their order. AgentlyMemoSession uses it to measure parts of messages.
 */
export function pythonJson(value: JsonValue): string {
  if (typeof value === 'number') return pythonNumber(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(pythonJson).join(', ')}]`
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : [`${JSON.stringify(key)}: ${pythonJson(member)}`],
  )
  return `{${members.join(', ')}}`
}

const isList = (value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] => Array.isArray(value)

/**
 * Python uses exponents below 10⁻⁴ and writes them with two digits; whole numbers are parsed from JSON as integers and
 * have none.
 */
function pythonNumber(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1e-4) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}
