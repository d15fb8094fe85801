import type { Message } from '../../contract/message.ts'
import { resultIds } from '../tool-calls.ts'

/**
 * Where the turns of a history begin: the indexes of its `user` messages. One that only answers a call of a tool (Anthropic's results
 * have that role) begins none. What stands before the first is the rest of a turn that was torn.
 *
 * Source: PicoClaw, `parseTurnBoundaries`
 */
export function turnStarts(history: readonly Pick<Message, 'role'>[]): readonly number[] {
  return history.flatMap((message, i) => (message.role === 'user' && resultIds(message).length === 0 ? [i] : []))
}
