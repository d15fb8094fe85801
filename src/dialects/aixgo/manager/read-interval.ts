import { SessionError } from '../../../contract/errors.ts'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Converts a Go duration, such as `5m`, `1h30m` or `1.5s`, to milliseconds. @throws InvalidInput */
export function readInterval(text: string): number {
  if (typeof text === 'string' && /^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    return [...text.matchAll(/([\d.]+)([a-z]+)/g)].reduce(
      (sum, [, amount, unit]) => sum + Number(amount) * units[unit!]!,
      0,
    )
  }
  throw new SessionError(
    'InvalidInput',
    `An interval must have the form "5m" or "1h30m" (units h, m, s, ms), got ${JSON.stringify(text)}.`,
  )
}
