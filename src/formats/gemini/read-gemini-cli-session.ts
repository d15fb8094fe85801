import { SessionError } from '../../contract/errors.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { type ContentPart, callParts, contentOfParts, firstText, objectsOf, textParts } from '../message-content.ts'
import { timeOf } from '../time.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads a session of Gemini CLI: `{ sessionId, startTime, lastUpdated, messages: [{ id, timestamp, type, content,
 * thoughts, toolCalls }] }`. What the program says of itself (`info`, `error`) is kept as `custom_message`, which no
 * model gets.
 *
 * @throws InvalidInput when it has no id
 */
export function readGeminiCli({ sessionId, startTime, lastUpdated, messages, summary }: Fields): Conversation {
  if (typeof sessionId !== 'string' || sessionId.trim() === '')
    throw new SessionError('InvalidInput', 'it has no sessionId')
  const nodes = objectsOf(messages).map((message, i): ConversationNode => {
    const { id, timestamp, type } = message
    const isSaid = type === 'user' || type === 'gemini'
    const read = isSaid ? readMessage(message) : undefined
    const text = textOf(message['content'])
    const data = isSaid
      ? read && { message: read }
      : { customType: `gemini-cli:${String(type)}`, content: text, display: true }
    return {
      id: firstText(id) ?? `message-${i}`,
      parentId: null,
      type: isSaid ? 'message' : 'custom_message',
      at: timeOf(timestamp) ?? 0,
      ...(data === undefined ? {} : { data }),
    }
  })
  return {
    dialect: 'gemini-cli',
    sourceId: sessionId.trim(),
    ...(typeof summary === 'string' ? { title: summary } : {}),
    createdAt: timeOf(startTime) ?? 0,
    updatedAt: timeOf(lastUpdated) ?? 0,
    nodes: continueLines(nodes),
  }
}

function readMessage({ type, content, thoughts, toolCalls, model }: Fields): Fields | undefined {
  const thinking = objectsOf(thoughts).flatMap(({ subject, description }): readonly ContentPart[] => {
    const thought = [subject, description].filter((one) => typeof one === 'string' && one !== '').join(': ')
    return thought === '' ? [] : [{ type: 'thinking', thinking: thought }]
  })
  const calls = objectsOf(toolCalls).flatMap(({ id, name, args, result }, i) =>
    callParts(firstText(id) ?? `call-${i}`, name, args, result),
  )
  const parts = [...thinking, ...textParts(textOf(content)), ...calls]
  if (parts.length === 0) return undefined
  return {
    role: type === 'user' ? 'user' : 'assistant',
    content: contentOfParts(parts),
    ...(typeof model === 'string' && model !== '' ? { model } : {}),
  }
}

/** A text, or parts of Gemini's API. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsOf(Array.isArray(content) ? content : [content])
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
    .join('\n')
}
