import type { Message } from '../../contract/message.ts'
import { callIds } from '../tool-calls.ts'
import { isToolResult } from './is-tool-result.ts'
import { pairToolCalls } from './pair-tool-calls.ts'

/**
 * Whether a history can be taken apart in front of a message, so that both parts, each with its calls and results paired, make the whole as it is
 * when all of it is paired at once: it begins a turn, stays in any case, and neither asks nor answers anything.
 */
export function isTurnBoundary(message: Message): boolean {
  if (message.role !== 'user' || isToolResult(message) || callIds(message).length > 0) return false
  const alone = [message]
  return pairToolCalls(alone) === alone
}
