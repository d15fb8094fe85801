import { timeOf } from '../time.ts'

/** From this value on, a number counts as milliseconds: in seconds it would be the year 5138. */
const firstMs = 1e11

/**
 * Converts a number of seconds (or milliseconds, if it is too large for seconds), the text of such a number, or an ISO
 * time to milliseconds since 1970; 0 for anything else.
 */
export function timeOfSeconds(found: unknown): number {
  const number = typeof found === 'string' && /^\d+(\.\d+)?$/.test(found) ? Number(found) : found
  if (typeof number !== 'number') return timeOf(number) ?? 0
  return timeOf(number < firstMs ? Math.round(number * 1000) : number) ?? 0
}
