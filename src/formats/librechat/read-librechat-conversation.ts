import { SessionError } from '../../contract/errors.ts'
import { type FoundFile, pictureOf, withFiles } from '../attachments.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { isObject } from '../is-plain-object.ts'
import {
  type ContentPart,
  callParts,
  contentOfParts,
  firstText,
  objectsOf,
  textParts,
  thinkingParts,
} from '../message-content.ts'
import { timeOf } from '../time.ts'

type Fields = Readonly<Record<string, unknown>>

/** The parent of a first message. */
const noParent = '00000000-0000-0000-0000-000000000000'

/**
 * Reads one conversation of LibreChat: `{ conversationId, title, messages: [{ messageId, parentMessageId, … }] }`, flat,
 * or with `children` in each message (`messagesTree`, or a `recursive` export). Its `options` are not imported.
 *
 * @throws InvalidInput when it has no id
 */
export function readLibreChat(value: Fields): Conversation {
  const { conversationId, title, messages, messagesTree, exportAt } = value
  if (typeof conversationId !== 'string' || conversationId.trim() === '')
    throw new SessionError('InvalidInput', 'it has no conversationId')
  const all = flat(objectsOf(messagesTree ?? messages))
  const nodes = all.map((message, i): ConversationNode => {
    const parent = message['parentMessageId']
    const read = readMessage(message)
    return {
      id: firstText(message['messageId']) ?? `message-${i}`,
      parentId: typeof parent === 'string' && parent !== '' && parent !== noParent ? parent : null,
      type: 'message',
      at: timeOf(message['createdAt']) ?? 0,
      ...read,
    }
  })
  const isChained = nodes.some(({ parentId }) => parentId !== null)
  const users = new Set(all.flatMap((message, i) => (isOfUser(message) ? [nodes[i]!.id] : [])))
  return {
    dialect: 'librechat',
    sourceId: conversationId.trim(),
    ...(typeof title === 'string' ? { title } : {}),
    updatedAt: timeOf(exportAt) ?? 0,
    custom: { endpoint: value['endpoint'] },
    // A first question that was edited has no parent either.
    nodes: continueLines(nodes, ({ id }) => isChained && users.has(id)),
  }
}

/** Parents come before their children. */
function flat(messages: readonly Fields[]): readonly Fields[] {
  const all: Fields[] = []
  const left = messages.toReversed()
  for (let message = left.pop(); message !== undefined; message = left.pop()) {
    all.push(message)
    for (const child of objectsOf(message['children']).toReversed()) left.push(child)
  }
  return all
}

const isOfUser = ({ isCreatedByUser, sender }: Fields): boolean => isCreatedByUser === true || sender === 'User'

function readMessage(message: Fields): Pick<ConversationNode, 'data' | 'leftOut'> {
  const { text, content, model, error } = message
  const parts = Array.isArray(content) ? objectsOf(content).flatMap(readPart) : textParts(text)
  const said = {
    role: isOfUser(message) ? 'user' : 'assistant',
    content: contentOfParts(parts),
    ...(typeof model === 'string' && model !== '' ? { model } : {}),
    ...(error === true ? { error: true } : {}),
  }
  return withFiles(said, parts.length > 0, filesOf(message))
}

/** Parts that are no files; the last one says that another agent goes on. */
const known: ReadonlySet<unknown> = new Set([undefined, 'text', 'think', 'tool_call', 'agent_update'])

/** Files beside the text, and pictures among its parts. */
function filesOf({ content, files, attachments }: Fields): readonly FoundFile[] {
  const pictures = objectsOf(content).flatMap(({ type, image_file: file, image_url: link }): readonly FoundFile[] => {
    if (isObject(file)) return [{ ...fileOf(file), type: 'image' }]
    if (link !== undefined) return [pictureOf(link)]
    return known.has(type) ? [] : [{}]
  })
  // What a tool found stands there too.
  const made = objectsOf(attachments).filter((one) => one['file_id'] !== undefined || one['filename'] !== undefined)
  return [...objectsOf(files).map(fileOf), ...made.map(fileOf), ...pictures]
}

const fileOf = ({ file_id: id, filename: name, type: mimeType, filepath: url }: Fields): FoundFile => ({
  id,
  name,
  mimeType,
  url,
})

function readPart({ type, text, think, tool_call: call }: Fields): readonly ContentPart[] {
  if (type === 'think') return thinkingParts(valueOf(think))
  if (type === 'tool_call') {
    const [{ id, name, args, output } = {} as Fields] = objectsOf([call])
    return callParts(firstText(id) ?? 'call', name, args, output)
  }
  return textParts(valueOf(text))
}

/** Agents of LibreChat wrap texts: `{ value }`. */
const valueOf = (text: unknown): unknown =>
  typeof text === 'object' && text !== null ? (text as { readonly value?: unknown }).value : text
