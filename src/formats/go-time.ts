import { isoText } from './time.ts'

/** Go's text for a time that was never set. */
const zeroTime = '0001-01-01T00:00:00Z'

/** A time as Go writes it: RFC 3339 without trailing zeros. Source: Go, `time.Time.MarshalJSON` */
export function goTime(at: number): string {
  return isoText(at)?.replace(/\.?0*Z$/, 'Z') ?? zeroTime
}
