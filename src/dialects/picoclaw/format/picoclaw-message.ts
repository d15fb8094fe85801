import type { EntryView } from '../../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import { messageText } from '../../../domain/title.ts'
import { createMessageNames } from '../../../formats/create-message-names.ts'
import { goTime } from '../../../formats/go-time.ts'

/** Host message ids for messages from PicoClaw. */
export const picoClawNames = createMessageNames('pc-')

/** Fields of a message as PicoClaw orders them. */
const fieldOrder = [
  'role',
  'content',
  'model_name',
  'created_at',
  'media',
  'attachments',
  'reasoning_content',
  'system_parts',
  'tool_calls',
  'tool_call_id',
] as const

/**
 * Converts a message to PicoClaw's form: PicoClaw's fields in its order, and content with parts as text. Other fields,
 * which PicoClaw ignores, come after.
 *
 * @param at - the time for a message without one; absent: no time is added
 */
export function picoClawMessage({ content, ...message }: Message, at?: number): JsonObject {
  const fields: Record<string, JsonValue | undefined> = {
    ...(at === undefined ? {} : { created_at: goTime(at) }),
    ...(message as JsonObject),
    content: messageText(content),
  }
  const form: Record<string, JsonValue> = {}
  for (const field of new Set([...fieldOrder, ...Object.keys(fields)])) {
    const value = fields[field]
    if (value !== undefined && value !== null) form[field] = value
  }
  return form
}

/**
 * The hash of a message in the form of an export. A message that was imported from PicoClaw has a time only if it had
 * one there.
 */
export function messageHashOf({ message, mid, at }: Pick<EntryView, 'message' | 'mid' | 'at'>): string {
  return picoClawNames.hashOf(
    picoClawMessage(message as Message, picoClawNames.hashIn(mid) === undefined ? at : undefined),
  )
}
