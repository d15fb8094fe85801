import { SessionError } from '../../../contract/errors.ts'
import type { ReadOptions } from '../../../contract/store/session-log.ts'
import { orderEnd } from '../../../domain/order.ts'
import { describeValue } from '../describe-value.ts'

/** Checks the options of `read` and fills in its defaults. @throws InvalidInput */
export function checkRead(options: ReadOptions) {
  const { branch, view = 'transcript', last, before, after, limit, own } = options
  if ([last, before, after].filter((bound) => bound !== undefined).length > 1)
    throw new SessionError('InvalidInput', 'Give only one of `last`, `before` and `after`.')
  if (!['transcript', 'context', 'raw'].includes(view))
    throw new SessionError('InvalidInput', `view must be "transcript", "context" or "raw", got ${describeValue(view)}.`)
  const count = last ?? limit ?? 50
  if (!Number.isInteger(count) || count < 1 || count > 4096)
    throw new SessionError('InvalidInput', `A page holds 1 to 4,096 entries, got ${describeValue(count)}.`)
  for (const bound of [branch, before, after])
    if (bound !== undefined && typeof bound !== 'string')
      throw new SessionError('InvalidInput', '`branch`, `before` and `after` must be strings.')
  if (own !== undefined && typeof own !== 'boolean')
    throw new SessionError('InvalidInput', `own must be true or false, got ${describeValue(own)}.`)
  const isForward = after !== undefined
  return {
    branch,
    view,
    direction: isForward ? ('forward' as const) : ('backward' as const),
    from: after ?? before ?? orderEnd,
    limit: count,
    own: own === true,
  }
}
