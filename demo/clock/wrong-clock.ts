/**
 * The hours by which the clock of this window's device is ahead, by `?clock=3` or `?clock=-3`: as if it were a machine
 * whose time is set wrong.
 */
export const hoursAhead = Math.max(-24, Math.min(24, Number(new URLSearchParams(location.search).get('clock')) || 0))

/** The address of this window with another clock, and what is open here. */
export function clockAddress(hours: number): string {
  const address = new URL(location.href)
  if (hours === 0) address.searchParams.delete('clock')
  else address.searchParams.set('clock', String(hours))
  return address.href
}
