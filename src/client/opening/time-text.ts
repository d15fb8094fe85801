/** The last time that a Date can have. */
const latest = 8.64e15

/** A time for a message. Whoever writes an entry chooses its time, so that it may be none that a Date can have. */
export const timeText = (at: number): string =>
  Math.abs(at) <= latest ? new Date(at).toISOString() : 'a time that can not be shown'
