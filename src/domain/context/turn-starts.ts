import type { Message } from '../../contract/message.ts'
import { isToolResult } from './is-tool-result.ts'

/**
 * The starts of the turns of a history: each message of role `user` that answers no tool call (Anthropic's results come
 * in messages of that role). Messages before the first start belong to no known turn.
 *
 * @returns indexes, ascending
 * Source: PicoClaw, `parseTurnBoundaries`; ai-panel, 轮
 */
export function turnStarts(messages: readonly Pick<Message, 'role'>[]): number[] {
  return messages.flatMap((message, i) => (message.role === 'user' && !isToolResult(message) ? [i] : []))
}
