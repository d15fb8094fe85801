import type { Message } from '../../../contract/message.ts'
import { messageText } from '../../../domain/title.ts'
import { utf8Length } from '../../../domain/utf8.ts'

/** Characters of a message in addition to its texts, for role and separators. */
const frameCharacters = 12
const systemPartCharacters = 20
const mediaTokens = 256

type Fields = Readonly<Record<string, unknown>>

/**
 * Estimates the tokens of one message as PicoClaw does: two fifths of its characters, rounded down, and 256 for each
 * medium. Texts count in code points, tool calls in UTF-8 bytes. Of `content` and `system_parts`, which have the same
 * text, the longer one counts.
 *
 * Source: PicoClaw, `tokenizer.EstimateMessageTokens`
 */
export function estimatePicoClawTokens(message: Message): number {
  const {
    content,
    reasoning_content: reasoning,
    system_parts: parts,
    tool_calls: calls,
    tool_call_id: callId,
    media,
  } = message as Fields
  const said = codePoints(messageText(content))
  const system = sum(listOf(parts), (part) => codePoints(textOf(part['text'])) + systemPartCharacters)
  const called = sum(listOf(calls), ({ id, type, function: target }) => {
    const { name, arguments: args } = fieldsOf(target)
    return sum([id, type, name, args], (text) => utf8Length(textOf(text)))
  })
  const characters =
    Math.max(said, system) + codePoints(textOf(reasoning)) + called + utf8Length(textOf(callId)) + frameCharacters
  return Math.floor((characters * 2) / 5) + mediaTokens * (Array.isArray(media) ? media.length : 0)
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

const sum = <T>(list: readonly T[], of: (element: T) => number): number =>
  list.reduce((total, element) => total + of(element), 0)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
