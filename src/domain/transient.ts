import type { Message } from '../contract/message.ts'
import { goTrim } from './identity/go-text.ts'
import { messageText } from './title.ts'

/**
 * Whether a message is a transient thought: reasoning of an assistant that led to nothing. Such messages are not
 * stored.
 *
 * Source: PicoClaw, “Transient thoughts” (role `assistant`, blank content, `reasoning_content` not blank, no tool
 * calls, media, attachments or `tool_call_id`). Content in parts counts as blank when all of them are blank texts.
 */
export function isTransientThought(message: Message): boolean {
  const {
    role,
    content,
    reasoning_content: reasoning,
    tool_calls: calls,
    media,
    attachments,
    tool_call_id: callId,
    parts,
  } = message
  return (
    role === 'assistant' &&
    typeof reasoning === 'string' &&
    goTrim(reasoning) !== '' &&
    isBlank(content) &&
    [calls, media, attachments, callId, parts].every(
      (field) => field === undefined || field === null || (field as { length?: number }).length === 0,
    )
  )
}

function isBlank(content: Message['content']): boolean {
  if (Array.isArray(content) && content.some((part) => typeof part !== 'string' && part.type !== 'text')) return false
  return goTrim(messageText(content)) === ''
}
