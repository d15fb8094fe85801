import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { hash53 } from '../../domain/hash53.ts'
import { messageText } from '../../domain/title.ts'
import { goTime } from './go-time.ts'

/** Host message ids of what came from PicoClaw: a hash of the message, and its number among equal ones. */
const midPrefix = 'pc-'

/** Fields of a message as PicoClaw orders them. */
const fieldOrder = ['role', 'content', 'model_name', 'created_at', 'media', 'attachments', 'reasoning_content', 'system_parts', 'tool_calls', 'tool_call_id'] as const

/**
 * A message as PicoClaw writes it: its fields in its order, parts of content as their text. Fields it doesn't know come after; it
 * passes them over.
 *
 * @param at - when it was written, for a message that doesn't say; absent: then it isn't said
 */
export function picoClawMessage({ content, ...message }: Message, at?: number): JsonObject {
  const fields: Record<string, JsonValue | undefined> = { ...(at === undefined ? {} : { created_at: goTime(at) }), ...(message as JsonObject), content: messageText(content) }
  const form: Record<string, JsonValue> = {}
  for (const field of new Set([...fieldOrder, ...Object.keys(fields)])) {
    const value = fields[field]
    if (value !== undefined && value !== null) form[field] = value
  }
  return form
}

/** What tells a message from others: the same for the same content, whatever the order of its fields. */
export function messageHash(message: JsonObject): string {
  return hash53(canonicalJson(message)).toString(36)
}

/** @param n - how many equal messages stand before it */
export function midOf(hash: string, n: number): string {
  return n === 0 ? `${midPrefix}${hash}` : `${midPrefix}${hash}-${n}`
}

/** The hash in a host message id, or `undefined` when the message did not come from PicoClaw. */
export function hashIn(mid: unknown): string | undefined {
  return typeof mid === 'string' && mid.startsWith(midPrefix) ? mid.slice(midPrefix.length).split('-')[0] : undefined
}
