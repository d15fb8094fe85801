import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { isTransientThought } from '../../../domain/transient.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { LineMessage } from '../../../formats/line-nodes.ts'
import { timeOf } from '../../../formats/time.ts'

/** An entry of ours goes two levels deeper than its line, and says more than that. */
const limits = { maxDepth: 250, maxBytes: 16 * 1024 * 1024 - 64 * 1024, path: 'message' }

/**
 * Takes one message as it stands. `null` and `{}` are none (PicoClaw makes empty messages of them), names of fields are
 * compared exactly, and reasoning that led to nothing is dropped as there.
 *
 * @throws InvalidInput, TooLarge when it can be no message of ours
 */
export function readMessage(found: unknown, line: number): LineMessage {
  if (!isObject(found))
    throw refusal(
      `it holds ${found === null ? 'null' : Array.isArray(found) ? 'a list' : `a ${typeof found}`} instead of a message`,
    )
  const { value, bytes } = normaliseJson(found, limits)
  const message = value as JsonObject
  const { role, content, created_at: createdAt } = message
  if (typeof role !== 'string' || role === '') throw refusal('its message has no role')
  if (content !== undefined && content !== null && typeof content !== 'string')
    throw refusal('the content of its message is no text')
  if (isTransientThought(message as unknown as Message))
    throw refusal('it is reasoning that led to nothing, which is not kept')
  return { message, line, at: timeOf(createdAt) ?? 0, bytes }
}

function refusal(message: string): SessionError {
  return new SessionError('InvalidInput', message)
}
