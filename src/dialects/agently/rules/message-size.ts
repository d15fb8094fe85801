import type { JsonValue } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import { pythonJson } from './python-json.ts'

/**
 * The size of a message for a memo session, in code points: role, a separator and content. In content with parts, a
 * text part counts by its text, a string by itself and any other part by its JSON text. Absent content counts 0.
 *
 * Source: AgentlyMemoSession
 */
export function messageSize({ role, content }: Pick<Message, 'role' | 'content'>): number {
  return codePoints(role) + 1 + contentSize(content as JsonValue | undefined)
}

function contentSize(content: JsonValue | undefined): number {
  return Array.isArray(content)
    ? (content as readonly JsonValue[]).reduce<number>((size, part) => size + partSize(part), 0)
    : valueSize(content)
}

function partSize(part: JsonValue): number {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return valueSize(part)
  const { type, text } = part as { readonly type?: JsonValue; readonly text?: JsonValue }
  return type === 'text' ? valueSize(text) : codePoints(pythonJson(part))
}

/** The length of Python's `str()`. */
function valueSize(value: JsonValue | undefined): number {
  if (value === undefined) return 0
  if (typeof value === 'string') return codePoints(value)
  if (value === null) return 'None'.length
  // `True` and `False` are as long as they are here.
  return codePoints(pythonJson(value))
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
