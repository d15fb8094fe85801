const monthOfYear = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' })

/** The heading under which a list shows what happened at a time: by days of the calendar, the older the coarser. */
export function periodOf(at: number, now = Date.now()): string {
  const days = daysBetween(at, now)
  // What another device wrote ahead of this one's clock is of today, also at a time that no calendar has.
  if (!(days > 0)) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days <= 7) return 'Previous 7 days'
  if (days <= 30) return 'Previous 30 days'
  return monthOfYear.format(at)
}

/** Midnights between two times. Rounded, because a day on which clocks are changed has no 24 hours. */
function daysBetween(at: number, now: number): number {
  return Math.round((midnightBefore(now) - midnightBefore(at)) / 86_400_000)
}

const midnightBefore = (at: number): number => new Date(at).setHours(0, 0, 0, 0)
