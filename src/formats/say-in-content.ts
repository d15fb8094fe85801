import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import { type ContentPart, contentOfParts, parsedInput } from './message-content.ts'
import { type MessagePiece, messagePieces } from './message-pieces.ts'
import { hasChunks, saidParts } from './said-parts.ts'

/**
 * The parts of a message that says everything in `parts` and nothing in `content`, as messages of the AI SDK
 * (`UIMessage`) and of TanStack AI do, or in the chunks of a reply that was cut off; `undefined` for any other message.
 * So is one of whose parts nothing is known: without them it would say nothing at all.
 */
export function partsAlone(message: Message): readonly JsonValue[] | undefined {
  const { content, parts } = message
  const isAlone = (content === undefined || content === null) && Array.isArray(parts)
  if (!isAlone && !hasChunks(message)) return undefined
  const said = saidParts(message)
  return said.some((part) => partPieces(part).length > 0) ? said : undefined
}

/** The fields of a message of parts alone but for its role and its parts. */
export function otherFields(message: Message): JsonObject {
  const { role: _, content: __, parts: ___, ...fields } = message as JsonObject
  if (!hasChunks(message)) return fields
  // What was streamed of the input of calls, which the parts have.
  const { tool_calls: ____, ...others } = fields
  return others
}

/** What a single part says. */
export function partPieces(part: JsonValue): readonly MessagePiece[] {
  return messagePieces({ role: 'assistant', content: [part] } as unknown as Message)
}

/**
 * A message of parts alone, with `content` instead: a text, or parts in the form of imported conversations, because
 * other programs look there for what was said. Any other message stays as it is.
 */
export function sayInContent(message: Message): Message {
  const parts = partsAlone(message)
  if (parts === undefined) return message
  const content = contentOfParts(parts.flatMap(contentParts)) as NonNullable<Message['content']>
  return { role: message.role, content, ...otherFields(message) }
}

function contentParts(part: JsonValue): readonly ContentPart[] {
  return partPieces(part).map((piece) => contentPart(piece) ?? (part as ContentPart))
}

/** `undefined` for a file, which stays as it is: its address may have a meaning only here. */
function contentPart(piece: MessagePiece): ContentPart | undefined {
  switch (piece.kind) {
    case 'text':
      return { type: 'text', text: piece.text }
    case 'reasoning':
      return { type: 'thinking', thinking: piece.text }
    case 'call':
      return { type: 'tool_use', id: piece.id, name: piece.name, input: parsedInput(piece.arguments) }
    case 'result': {
      const error = piece.isError ? { is_error: true } : {}
      return { type: 'tool_result', tool_use_id: piece.callId, content: piece.text, ...error }
    }
    default:
      return undefined
  }
}
