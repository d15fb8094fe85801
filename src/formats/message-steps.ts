import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import { toolPart } from '../domain/tool-part.ts'
import { type MessagePiece, messagePieces } from './message-pieces.ts'
import { otherFields, partPieces, partsAlone } from './say-in-content.ts'

/** What was said up to the results of the tools that were called, and these results. */
interface Step {
  readonly said: MessagePiece[]
  /** Files without an address that others can open. */
  readonly attachments: JsonValue[]
  readonly results: JsonObject[]
}

/**
 * The messages that a message of parts is in formats in which the result of a tool is a message of its own: one that has
 * parts alone, or calls or results among the parts of its content, or is a result of pi. They are in OpenAI's form with
 * PicoClaw's fields. What was said after a result is the next message. Any other message stays as it is.
 *
 * @param isOwn - whether the format has this form of a result, or of a part, itself
 */
export function messageSteps(message: Message, isOwn: (part: JsonValue) => boolean = () => false): readonly Message[] {
  if (message.role === 'toolResult' && !isOwn(message as JsonObject)) return piResult(message)
  const parts = partsAlone(message) ?? toolParts(message, isOwn)
  if (parts === undefined) return [message]
  const { role } = message
  let others = otherFields(message)
  return stepsOf(parts).flatMap((step) => {
    const fields = saidFields(step)
    if (fields === undefined) return step.results
    const said = { role, ...others, ...fields }
    others = {}
    return [said, ...step.results]
  }) as readonly JsonObject[] as readonly Message[]
}

function piResult(message: Message): readonly Message[] {
  const { toolCallId: _, toolName: __, ...others } = message as JsonObject
  return messagePieces(message).flatMap((piece) =>
    piece.kind === 'result' ? [{ ...others, ...resultMessage(piece) } as unknown as Message] : [],
  )
}

/** The parts of a content that has calls or results among them, and not in fields of the message. */
function toolParts(message: Message, isOwn: (part: JsonValue) => boolean): readonly JsonValue[] | undefined {
  const { content, tool_calls: calls } = message as JsonObject
  if (!Array.isArray(content) || calls !== undefined) return undefined
  const parts = content as readonly JsonValue[]
  return parts.some((part) => toolPart(part) !== undefined && !isOwn(part)) ? parts : undefined
}

function stepsOf(parts: readonly JsonValue[]): readonly Step[] {
  let step: Step = { said: [], attachments: [], results: [] }
  const steps = [step]
  for (const part of parts) {
    for (const piece of partPieces(part)) {
      if (piece.kind === 'result') {
        step.results.push(resultMessage(piece))
        continue
      }
      // Calls without a word between them were made together, and their results follow together.
      if (piece.kind !== 'call' && step.results.length > 0)
        steps.push((step = { said: [], attachments: [], results: [] }))
      if ((piece.kind === 'image' && piece.url === '') || piece.kind === 'file') step.attachments.push(part)
      else step.said.push(piece)
    }
  }
  return steps
}

/** `undefined` when nothing was said before the results. */
function saidFields({ said, attachments }: Step): JsonObject | undefined {
  if (said.length + attachments.length === 0) return undefined
  const texts = (kind: 'text' | 'reasoning'): string =>
    said.flatMap((piece) => (piece.kind === kind ? [piece.text] : [])).join('\n')
  const reasoning = texts('reasoning')
  const media = said.flatMap((piece) => (piece.kind === 'image' ? [piece.url] : []))
  const calls = said.flatMap((piece) =>
    piece.kind === 'call'
      ? [{ id: piece.id, type: 'function', function: { name: piece.name, arguments: piece.arguments } }]
      : [],
  )
  return {
    content: texts('text'),
    ...(media.length === 0 ? {} : { media }),
    ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function resultMessage({ callId, name, text, isError }: Extract<MessagePiece, { kind: 'result' }>): JsonObject {
  return {
    role: 'tool',
    tool_call_id: callId,
    ...(name === '' ? {} : { name }),
    content: text,
    ...(isError ? { isError } : {}),
  }
}
