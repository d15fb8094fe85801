const number = new Intl.NumberFormat('en')
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' })
const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })

export const countOf = (count: number): string => number.format(count)

/** `1 message`, `2,140 messages`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${countOf(count)} ${count === 1 ? one : many}`

const steps = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** `1.2 MB`, in steps of 1,000 as browsers count quotas. */
export function bytesOf(count: number): string {
  const step = Math.min(steps.length - 1, count < 1 ? 0 : Math.floor(Math.log10(count) / 3))
  const value = count / 1000 ** step
  return `${step === 0 || value >= 100 ? countOf(Math.round(value)) : value.toFixed(1)} ${steps[step]}`
}

/** A time of day, or with its date where that is another day. `at` in milliseconds since 1970. */
export function timeOf(at: number): string {
  if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return String(at)
  return (new Date(at).toDateString() === new Date().toDateString() ? clock : date).format(at)
}

/** `12 ms`, `1.2 s`. */
export const durationOf = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** The beginning of a text, in one line. */
export function lineOf(text: string, limit = 300): string {
  const line = text
    .slice(0, limit * 2)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}

export const errorText = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error)
