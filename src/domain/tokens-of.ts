import type { Message } from '../contract/message.ts'
import { estimateTokens } from './tokens.ts'

/** The message that was measured last: a row that arrives is counted in a sum of its block and in two views. */
let lastMessage: Message | undefined
let lastTokens = 0

/** {@link estimateTokens} of a stored message, which never changes. */
export function tokensOf(message: Message): number {
  if (message !== lastMessage) {
    lastMessage = message
    lastTokens = estimateTokens(message)
  }
  return lastTokens
}
