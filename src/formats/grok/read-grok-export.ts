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
        ...(read === undefined ? {} : { data: { message: read } }),
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

function readResponse({ sender, message, thinking_trace: thinking, model }: Fields): Fields | undefined {
  const parts = [...thinkingParts(thinking), ...textParts(message)]
  if (parts.length === 0) return undefined
  const isUser = typeof sender === 'string' && sender.toLowerCase() === 'human'
  return {
    role: isUser ? 'user' : 'assistant',
    content: contentOfParts(parts),
    ...(!isUser && typeof model === 'string' && model !== '' ? { model } : {}),
  }
}

/** An ISO time, or MongoDB's form of one: `{ $date: { $numberLong } }` or `{ $date }`. */
function timeAt(found: unknown): number {
  const date = isObject(found) ? found['$date'] : found
  const number = isObject(date) ? Number(date['$numberLong']) : date
  return timeOf(number) ?? 0
}
