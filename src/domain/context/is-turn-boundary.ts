import type { Message } from '../../contract/message.ts'
import { callIds } from '../tool-calls.ts'
import { isToolResult } from './is-tool-result.ts'
import { pairToolCalls } from './pair-tool-calls.ts'

/**
 * Whether a history can be split in front of a message so that both parts, each with its calls and results paired,
 * together equal the whole paired at once. Such a message starts a turn, is never left out, and neither calls nor
 * answers a tool.
 */
export function isTurnBoundary(message: Message): boolean {
  if (message.role !== 'user' || isToolResult(message) || callIds(message).length > 0) return false
  const alone = [message]
  return pairToolCalls(alone) === alone
}
