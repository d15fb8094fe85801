/** Other forms are read differently by each engine, or in the time zone of the device. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** Converts an ISO time or a number of milliseconds to milliseconds since 1970; `undefined` for anything else. */
export function timeOf(found: unknown): number | undefined {
  const at =
    typeof found === 'number'
      ? Math.floor(found)
      : typeof found === 'string' && isoTime.test(found)
        ? Date.parse(found)
        : Number.NaN
  return at >= 0 && at <= 8.64e15 ? at : undefined
}

/** The text for an unknown time in formats that require one. */
export const isoStart = new Date(0).toISOString()

/** A time as ISO text; `undefined` for 0 and for invalid times, which another device may have written. */
export function isoText(at: number): string | undefined {
  return at > 0 && at <= 8.64e15 ? new Date(at).toISOString() : undefined
}

/** Whether a text is the one that an export writes for a time. */
export function isWrittenAs(at: number, found: unknown): boolean {
  return found !== undefined && isoText(at) === found
}
