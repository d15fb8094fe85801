import type { Message } from '../../contract/message.ts'
import { estimateContextTokens } from '../../domain/context/estimate-context-tokens.ts'
import type { TokenCounter } from './context-types.ts'

/** A counter that remembers what it counted. */
export interface CheckedCounter extends TokenCounter {
  /** Drops what is remembered of a message that is not asked for any more. */
  forget(message: Message): void
}

/**
 * A counter that counts each message once and gives nothing but counts.
 *
 * @throws TypeError as soon as it gives anything else than a whole number from 0 up
 */
export function checkedCounter(countTokens: TokenCounter = estimateContextTokens): CheckedCounter {
  if (typeof countTokens !== 'function')
    throw new TypeError(`countTokens must be a function that takes a message, got ${typeof countTokens}.`)
  const known = new WeakMap<Message, number>()
  const count = (message: Message): number => {
    const before = known.get(message)
    if (before !== undefined) return before
    const tokens: unknown = countTokens(message)
    if (!Number.isSafeInteger(tokens) || (tokens as number) < 0)
      throw new TypeError(
        `countTokens must give a whole number from 0 up, got ${String(tokens)} for a message of role "${message.role}".`,
      )
    known.set(message, tokens as number)
    return tokens as number
  }
  return Object.assign(count, { forget: (message: Message) => void known.delete(message) })
}
