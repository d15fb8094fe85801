const number = new Intl.NumberFormat()
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' })
const dayMs = 86_400_000
/** Another device may have written any number as a time. */
const isShowable = (at: number): boolean => Math.abs(at) <= 8.64e15

/** `1 message`, `2,140 messages`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number.format(count)} ${count === 1 ? one : many}`
}

/** `1.2 MB`, in steps of 1,000 as browsers count quotas. */
export function bytes(count: number): string {
  const steps = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const step = Math.min(steps.length - 1, count < 1 ? 0 : Math.floor(Math.log10(count) / 3))
  const value = count / 1000 ** step
  return `${value >= 100 || step === 0 ? Math.round(value) : value.toFixed(1)} ${steps[step]}`
}

/** A time as a list shows it: the time today, the weekday this week, the date before that. */
export function shortTime(at: number, now = Date.now()): string {
  if (!isShowable(at)) return ''
  const date = new Date(at)
  const today = new Date(now)
  if (date.toDateString() === today.toDateString()) return clock.format(date)
  if (now - at < 6 * dayMs && now > at) return weekday.format(date)
  return (date.getFullYear() === today.getFullYear() ? day : dayOfYear).format(date)
}

/** A time in full, for tooltips. */
export const longTime = (at: number): string => (isShowable(at) ? full.format(at) : '')

/** The first `limit` characters, with an ellipsis when there were more. */
export const shortened = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1).trimEnd()}…`
