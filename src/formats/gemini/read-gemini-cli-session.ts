import { SessionError } from '../../contract/errors.ts'
import { type FoundFile, withFiles } from '../attachments.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { isObject } from '../is-plain-object.ts'
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
    const text = textOf(message['content'])
    const read = isSaid
      ? readMessage(message)
      : { data: { customType: `gemini-cli:${String(type)}`, content: text, display: true } }
    return {
      id: firstText(id) ?? `message-${i}`,
      parentId: null,
      type: isSaid ? 'message' : 'custom_message',
      at: timeOf(timestamp) ?? 0,
      ...read,
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

function readMessage(message: Fields): Pick<ConversationNode, 'data' | 'leftOut'> {
  const { type, content, thoughts, toolCalls, model } = message
  const thinking = objectsOf(thoughts).flatMap(({ subject, description }): readonly ContentPart[] => {
    const thought = [subject, description].filter((one) => typeof one === 'string' && one !== '').join(': ')
    return thought === '' ? [] : [{ type: 'thinking', thinking: thought }]
  })
  const calls = objectsOf(toolCalls).flatMap(({ id, name, args, result }, i) =>
    callParts(firstText(id) ?? `call-${i}`, name, args, result),
  )
  const parts = [...thinking, ...textParts(textOf(content)), ...calls]
  const said = {
    role: type === 'user' ? 'user' : 'assistant',
    content: contentOfParts(parts),
    ...(typeof model === 'string' && model !== '' ? { model } : {}),
  }
  return withFiles(said, parts.length > 0, partsOf(content).flatMap(fileOf))
}

/** A text, or parts of Gemini's API. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return partsOf(content)
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
    .join('\n')
}

const partsOf = (content: unknown): readonly Fields[] => objectsOf(Array.isArray(content) ? content : [content])

/** A part that is no text: the bytes of a file, or its address. */
function fileOf({ text, inlineData, fileData }: Fields): readonly FoundFile[] {
  if (typeof text === 'string') return []
  const { displayName: name, mimeType, data, fileUri } = [inlineData, fileData].find(isObject) ?? {}
  const url = typeof data === 'string' ? `data:${String(mimeType)};base64,${data}` : fileUri
  return [{ name, mimeType, url }]
}
