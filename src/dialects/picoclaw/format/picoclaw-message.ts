import type { EntryView } from '../../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import { messageText } from '../../../domain/title.ts'
import { isTransientThought } from '../../../domain/transient.ts'
import { createMessageNames } from '../../../formats/create-message-names.ts'
import { goTime } from '../../../formats/go-time.ts'
import type { MessageForm } from '../../../formats/known-messages.ts'
import { messageSteps } from '../../../formats/message-steps.ts'

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
function picoClawMessage({ content, ...message }: Message, at?: number): JsonObject {
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
 * The lines that a message is in a log. A message that was imported from PicoClaw is one, with a time only if it had
 * one there. There is none for a transient thought, which PicoClaw does not store.
 */
export function picoClawLines({ message, mid, at }: Pick<EntryView, 'message' | 'mid' | 'at'>): readonly JsonObject[] {
  const stored = message as Message
  if (picoClawNames.hashIn(mid) !== undefined) return isTransientThought(stored) ? [] : [picoClawMessage(stored)]
  return messageSteps(stored)
    .filter((step) => !isTransientThought(step))
    .map((step) => picoClawMessage(step, at))
}

export const picoClawForm: MessageForm = {
  hashIn: picoClawNames.hashIn,
  hashesOf: (view) => picoClawLines(view).map(picoClawNames.hashOf),
}
