import type { Message } from '../../contract/message.ts'
import { estimateContextTokens } from '../../domain/context/estimate-context-tokens.ts'
import type { TokenCounter } from './context-types.ts'

/** A counter that remembers its results. */
export interface CheckedCounter extends TokenCounter {
  /** Forgets the result for a message that will not be counted again. */
  forget(message: Message): void
}

/**
 * A counter that counts each message once, and validates the results.
 *
 * @throws TypeError as soon as `countTokens` returns anything but a whole number from 0 up
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
        `countTokens must return a whole number from 0 up, got ${String(tokens)} for a message of role "${message.role}".`,
      )
    known.set(message, tokens as number)
    return tokens as number
  }
  return Object.assign(count, { forget: (message: Message) => void known.delete(message) })
}
