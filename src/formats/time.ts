/** Other forms are read differently by each engine, or in the time zone of the device. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** Milliseconds since 1970 of an ISO time, or of a number of milliseconds; `undefined` for anything else. */
export function timeOf(found: unknown): number | undefined {
  const at =
    typeof found === 'number'
      ? Math.floor(found)
      : typeof found === 'string' && isoTime.test(found)
        ? Date.parse(found)
        : Number.NaN
  return at >= 0 && at <= 8.64e15 ? at : undefined
}

/** What stands for a time that isn't known, where a format must have one. */
export const isoStart = new Date(0).toISOString()

/** A time as ISO text; `undefined` for 0 and for what can be no time: another device may have written anything. */
export function isoText(at: number): string | undefined {
  return at > 0 && at <= 8.64e15 ? new Date(at).toISOString() : undefined
}

/** Whether a time is the text that an export writes for it. */
export function isWrittenAs(at: number, found: unknown): boolean {
  return at > 0 && new Date(at).toISOString() === found
}
