import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { isTransientThought } from '../../../domain/transient.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { LineMessage } from '../../../formats/line-nodes.ts'
import { timeOf } from '../../../formats/time.ts'

/** Lower than the limits of stored entries, because an entry is two levels deeper than its line and has more fields. */
const limits = { maxDepth: 250, maxBytes: 16 * 1024 * 1024 - 64 * 1024, path: 'message' }

/**
 * Reads one message without changes. Unlike in PicoClaw, `null` and `{}` are not messages, and names of fields are
 * compared exactly. Transient thoughts are dropped as there.
 *
 * @throws InvalidInput, TooLarge when it can't be stored as a message
 */
export function readMessage(found: unknown, line: number): LineMessage {
  if (!isObject(found))
    throw refusal(
      `it contains ${found === null ? 'null' : Array.isArray(found) ? 'a list' : `a ${typeof found}`} instead of a message`,
    )
  const { value, bytes } = normaliseJson(found, limits)
  const message = value as JsonObject
  const { role, content, created_at: createdAt } = message
  if (typeof role !== 'string' || role === '') throw refusal('its message has no role')
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw refusal('the content of its message is not a string')
  if (isTransientThought(message as unknown as Message))
    throw refusal('it is only reasoning without a reply, which is not stored')
  return { message, line, at: timeOf(createdAt) ?? 0, bytes }
}

function refusal(message: string): SessionError {
  return new SessionError('InvalidInput', message)
}
