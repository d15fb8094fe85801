import type { Message } from '../../../contract/message.ts'
import type { MemoRules } from './memo-settings.ts'
import { messageSize } from './message-size.ts'
import type { ResizeDecision } from './resize-decision.ts'

/**
 * The default policy: a deep resize when the current view is too large, a lite one when it has too many messages or
 * enough turns have passed. The first of these that applies counts.
 *
 * @param turns - the number of turns since the last resize
 * Source: AgentlyMemoSession
 */
export function judgeByDefault(
  current: readonly Message[],
  turns: number,
  { chars, messages, everyNTurns }: MemoRules,
): ResizeDecision | null {
  if (chars > 0 && reaches(current, chars)) return { type: 'deep', reason: 'max_messages_text_length', severity: 100 }
  if (messages !== null && messages > 0 && current.length > messages)
    return { type: 'lite', reason: 'max_keep_messages_count', severity: 50 }
  if (everyNTurns > 0 && turns >= everyNTurns) return { type: 'lite', reason: 'every_n_turns', severity: 10 }
  return null
}

/** It counts only until it is clear: a view that was never resized may have a million messages. */
function reaches(messages: readonly Message[], chars: number): boolean {
  let size = 0
  return messages.some((message) => (size += messageSize(message)) >= chars)
}
