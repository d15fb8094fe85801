import { SessionError } from '../../../contract/errors.ts'
import type { RowRange } from '../../../contract/store/collections.ts'
import type { RowsRead } from '../../../contract/stored-row.ts'
import { describeValue } from '../describe-value.ts'

/** The keys that a range covers. @throws InvalidInput */
export function keysOfRange(range: RowRange, most: number): Omit<RowsRead, 'collection'> {
  const { reverse = false, limit = 100 } = range as Readonly<Record<string, unknown>>
  for (const name of ['prefix', 'from', 'to', 'after'] as const) {
    const text: unknown = range[name]
    if (text !== undefined && typeof text !== 'string')
      throw new SessionError('InvalidInput', `${name} of a range must be a string, got ${describeValue(text)}.`)
  }
  if (typeof reverse !== 'boolean')
    throw new SessionError('InvalidInput', `reverse of a range must be true or false, got ${describeValue(reverse)}.`)
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > most)
    throw new SessionError(
      'InvalidInput',
      `limit of a range must be a whole number from 1 to ${most}, got ${describeValue(limit)}. Ask for more rows page by page.`,
    )
  const { prefix = '', from = '', to, after } = range
  // No key lies between a key and the same key with a zero behind it.
  const lows = [prefix, from, ...(after === undefined || reverse ? [] : [`${after}\0`])]
  const highs = [to, endOfPrefix(prefix), reverse ? after : undefined].filter((end) => end !== undefined)
  return {
    from: lows.reduce((a, b) => (a > b ? a : b)),
    to: highs.length === 0 ? undefined : highs.reduce((a, b) => (a < b ? a : b)),
    reverse,
    limit: limit as number,
  }
}

/** The lowest text above all that begin with a prefix; `undefined` when there is none. */
function endOfPrefix(prefix: string): string | undefined {
  for (let length = prefix.length; length > 0; length--) {
    const unit = prefix.charCodeAt(length - 1)
    if (unit < 0xffff) return prefix.slice(0, length - 1) + String.fromCharCode(unit + 1)
  }
  return undefined
}
