import type { Clock } from '../contract/entry.ts'

/**
 * The smallest invalid `hp` (the year 6429). Every value below is accepted, however far ahead, and never blocks a later
 * append.
 */
export const clockLimit = 2 ** 47

const counterLimit = 2 ** 18

/** The clock before the first entry. */
export const clockStart: Clock = { hp: 0, hc: 0 }

export function compareClocks(a: Clock, b: Clock): number {
  return a.hp - b.hp || a.hc - b.hc
}

export function laterClock(a: Clock, b: Clock): Clock {
  return compareClocks(a, b) < 0 ? b : a
}

/** The next reading: strictly after `last`, at or after the wall clock `now` (ms). A full counter carries into `hp`. */
export function tick(last: Clock, now: number): Clock {
  const wall = Math.min(Math.max(0, Math.floor(now)), clockLimit - 1)
  if (wall > last.hp) return { hp: wall, hc: 0 }
  return last.hc + 1 < counterLimit ? { hp: last.hp, hc: last.hc + 1 } : { hp: last.hp + 1, hc: 0 }
}

/** Whether a clock from elsewhere may be accepted. */
export function isClockValid(clock: Clock): boolean {
  return clock.hp < clockLimit && clock.hc < counterLimit
}
