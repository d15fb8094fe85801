import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import { isoStart, isoText } from '../../../formats/time.ts'

/**
 * Reads the message from an Aixgo entry: its type is the role, and the text in its payload (JSON in a string) is the
 * content; id, payload, time and metadata are kept as further fields. `undefined` when it has no type, because then it
 * is not a message.
 */
export function fromAixgo({ type, role: _, content: __, ...rest }: JsonObject): JsonObject | undefined {
  return typeof type !== 'string' || type === ''
    ? undefined
    : { role: type, content: contentOf(rest['payload']), ...rest }
}

/**
 * Makes the data of an Aixgo entry from a message. A message that was imported from Aixgo keeps its original data,
 * unless its content was changed since.
 */
export function toAixgo(message: JsonObject, id: string, at: number): JsonObject {
  const { role, content = '', id: own, payload, timestamp, metadata, ...more } = message
  const isKept = typeof payload === 'string' && JSON.stringify(contentOf(payload)) === JSON.stringify(content)
  const said = isKept ? more : {}
  return {
    ...said,
    id: typeof own === 'string' ? own : id,
    metadata: isObject(metadata) ? (metadata as JsonObject) : {},
    payload: isKept ? payload : JSON.stringify({ content, ...more }),
    timestamp: typeof timestamp === 'string' ? timestamp : (isoText(at) ?? isoStart).replace(/\.\d+Z$/, 'Z'),
    type: role ?? '',
  }
}

function contentOf(payload: JsonValue | undefined): JsonValue {
  if (typeof payload !== 'string') return ''
  let found: unknown
  try {
    found = JSON.parse(payload)
  } catch {
    return payload
  }
  const content = isObject(found) ? found['content'] : found
  if (typeof content === 'string' || content === null) return content
  const isParts =
    Array.isArray(content) &&
    content.every((part) => typeof part === 'string' || (isObject(part) && typeof part['type'] === 'string'))
  return isParts ? (content as JsonValue) : payload
}
