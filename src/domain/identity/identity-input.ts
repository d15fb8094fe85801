import { SessionError } from '../../contract/errors.ts'

/** An error that names the value found at a place of the caller's input, and the value that is expected there. */
export function refusal(path: string, found: unknown, advice: string): SessionError {
  return new SessionError('InvalidInput', `${path} is ${described(found)}. ${advice}`)
}

/** A string, or `''` when there is none. @throws InvalidInput */
export function textAt(value: unknown, path: string): string {
  if (typeof value === 'number') throw refusal(path, value, `Pass it as a string: "${value}".`)
  return valueAt(value, path, typeof value === 'string', 'a string', '')
}

/** A list, or an empty one when there is none. @throws InvalidInput */
export function listAt(value: unknown, path: string): readonly unknown[] {
  return valueAt<readonly unknown[]>(value, path, Array.isArray(value), 'a list', [])
}

/** An object, or an empty one when there is none. @throws InvalidInput */
export function objectAt(value: unknown, path: string): Readonly<Record<string, unknown>> {
  return valueAt<Readonly<Record<string, unknown>>>(
    value,
    path,
    typeof value === 'object' && !Array.isArray(value),
    'an object',
    {},
  )
}

/** A boolean, or `undefined` when there is none. @throws InvalidInput */
export function booleanAt(value: unknown, path: string): boolean | undefined {
  return valueAt<boolean | undefined>(value, path, typeof value === 'boolean', 'true or false', undefined)
}

function valueAt<T>(value: unknown, path: string, fits: boolean, wanted: string, absent: T): T {
  if (value === undefined || value === null) return absent
  if (fits) return value as T
  throw refusal(path, value, `Pass ${wanted}, or leave it out.`)
}

function described(found: unknown): string {
  if (found === undefined) return 'missing'
  if (found === null) return 'null'
  if (typeof found === 'string')
    return found === '' ? 'empty' : JSON.stringify(found.length > 80 ? `${found.slice(0, 80)}…` : found)
  if (typeof found === 'number' || typeof found === 'boolean') return String(found)
  return Array.isArray(found) ? 'a list' : typeof found === 'object' ? 'an object' : `a ${typeof found}`
}
