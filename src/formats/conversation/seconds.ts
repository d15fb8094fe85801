import { timeOf } from '../time.ts'

/** From here on a number is milliseconds: in seconds it would be the year 5138. */
const firstMs = 1e11

/**
 * Milliseconds since 1970 of a number of seconds (or, when it is too late for that, milliseconds), also as text, or of
 * an ISO time; 0 for anything else.
 */
export function timeOfSeconds(found: unknown): number {
  const number = typeof found === 'string' && /^\d+(\.\d+)?$/.test(found) ? Number(found) : found
  if (typeof number !== 'number') return timeOf(number) ?? 0
  return timeOf(number < firstMs ? Math.round(number * 1000) : number) ?? 0
}
