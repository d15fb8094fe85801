import type { Message } from '../../contract/message.ts'
import { isToolResult } from './is-tool-result.ts'

/**
 * Where the turns of a history start: at each message of role `user` that answers no tool call (Anthropic's results come in messages of
 * that role). What stands before the first one belongs to no turn that is known.
 *
 * @returns indexes, ascending
 * Source: PicoClaw, `parseTurnBoundaries`; ai-panel, 轮
 */
export function turnStarts(messages: readonly Pick<Message, 'role'>[]): number[] {
  return messages.flatMap((message, i) => (message.role === 'user' && !isToolResult(message) ? [i] : []))
}
