import { SessionError } from '../../contract/errors.ts'

/** An error that says what was found at a place of the caller's input, and what belongs there. */
export function refusal(path: string, found: unknown, advice: string): SessionError {
  return new SessionError('InvalidInput', `${path} is ${described(found)}. ${advice}`)
}

/** A text, or `''` where there is none. @throws InvalidInput */
export function textAt(value: unknown, path: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  throw refusal(path, value, typeof value === 'number' ? `Pass it as a text: "${value}".` : 'Pass a text, or leave it out.')
}

/** A list, or an empty one where there is none. @throws InvalidInput */
export function listAt(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value as readonly unknown[]
  throw refusal(path, value, 'Pass a list, or leave it out.')
}

/** An object, or an empty one where there is none. @throws InvalidInput */
export function objectAt(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>
  throw refusal(path, value, 'Pass an object, or leave it out.')
}

/** A boolean, or `undefined` where there is none. @throws InvalidInput */
export function booleanAt(value: unknown, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  throw refusal(path, value, 'Pass true or false, or leave it out.')
}

function described(found: unknown): string {
  if (found === undefined) return 'missing'
  if (found === null) return 'null'
  if (typeof found === 'string') return found === '' ? 'empty' : JSON.stringify(found.length > 80 ? `${found.slice(0, 80)}…` : found)
  if (typeof found === 'number' || typeof found === 'boolean') return String(found)
  return Array.isArray(found) ? 'a list' : typeof found === 'object' ? 'an object' : `a ${typeof found}`
}
