import { type FoundFile, withFiles } from '../attachments.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { isObject } from '../is-plain-object.ts'
import { contentOfParts, firstText, objectsOf, textParts, thinkingParts } from '../message-content.ts'
import { timeOf } from '../time.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the conversations of Grok's export: `{ conversations: [{ conversation: { id, title, … }, responses: [{ response:
 * { _id, sender, message, parent_response_id, create_time } }] }] }`. One without an id is left out.
 */
export function readGrok({ conversations }: Fields): readonly Conversation[] {
  return objectsOf(conversations).flatMap(({ conversation, responses }): readonly Conversation[] => {
    const about = isObject(conversation) ? conversation : {}
    const sourceId = firstText(about['id'], about['conversation_id'])
    if (sourceId === undefined) return []
    const { title, create_time: createdAt, modify_time: updatedAt, starred } = about
    const nodes = objectsOf(responses).map(({ response }, i): ConversationNode => {
      const said = isObject(response) ? response : {}
      const read = readResponse(said)
      return {
        id: firstText(said['_id'], said['id']) ?? `response-${i}`,
        parentId: firstText(said['parent_response_id']) ?? null,
        type: 'message',
        at: timeAt(said['create_time']),
        ...read,
      }
    })
    const isChained = nodes.some(({ parentId }) => parentId !== null)
    return [
      {
        dialect: 'grok',
        sourceId: sourceId.trim(),
        ...(typeof title === 'string' ? { title } : {}),
        createdAt: timeAt(createdAt),
        updatedAt: timeAt(updatedAt),
        ...(starred === true ? { tags: ['pinned'] } : {}),
        // A first question that was edited has no parent either.
        nodes: continueLines(nodes, ({ data }) => isChained && (data?.['message'] as Fields)?.['role'] === 'user'),
      },
    ]
  })
}

function readResponse(response: Fields): Pick<ConversationNode, 'data' | 'leftOut'> {
  const { sender, message, thinking_trace: thinking, model } = response
  const parts = [...thinkingParts(thinking), ...textParts(message)]
  const isUser = typeof sender === 'string' && sender.toLowerCase() === 'human'
  const said = {
    role: isUser ? 'user' : 'assistant',
    content: contentOfParts(parts),
    ...(!isUser && typeof model === 'string' && model !== '' ? { model } : {}),
  }
  return withFiles(said, parts.length > 0, filesOf(response))
}

/** Files by their ids or with their names, and pictures that the model made. */
function filesOf(response: Fields): readonly FoundFile[] {
  return [
    ...listOf(response['image_attachments'] ?? response['imageAttachments']).map((file) => fileOf(file, 'image')),
    ...listOf(response['generated_image_urls'] ?? response['generatedImageUrls']).map((file) => fileOf(file, 'image')),
    ...listOf(response['file_attachments'] ?? response['fileAttachments']).map((file) => fileOf(file)),
  ]
}

function fileOf(file: unknown, type?: string): FoundFile {
  // An address or a path has a slash, and an id has none.
  if (typeof file === 'string') return { type, ...(file.includes('/') ? { url: file } : { id: file }) }
  const said = isObject(file) ? file : {}
  const { file_name: name = said['fileName'] ?? said['name'], url = said['image_url'] ?? said['file_uri'] } = said
  const { file_metadata_id: id = said['fileMetadataId'] ?? said['asset_id'] ?? said['id'] } = said
  return { type, name, id, mimeType: said['file_mime_type'] ?? said['fileMimeType'], url: url ?? said['fileUri'] }
}

const listOf = (found: unknown): readonly unknown[] => (Array.isArray(found) ? found : [])

/** An ISO time, or MongoDB's form of one: `{ $date: { $numberLong } }` or `{ $date }`. */
function timeAt(found: unknown): number {
  const date = isObject(found) ? found['$date'] : found
  const number = isObject(date) ? Number(date['$numberLong']) : date
  return timeOf(number) ?? 0
}
