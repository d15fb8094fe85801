import { contentHash, contentOf } from '../conversation/content-nodes.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import type { OpeningIds } from '../conversation/opening-ids.ts'
import { isObject } from '../is-plain-object.ts'
import { timeOf } from '../time.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads messages of an AI SDK chat, `{ id?, title?, messages: [{ id, role, parts }] }`, or from a list. They stay as they
 * are, under their own ids, as if the chat had been stored here.
 */
export function readAiSdk(value: Fields, ids: OpeningIds): Conversation {
  const { id, title, messages } = value
  const list = Array.isArray(messages) ? (messages as readonly unknown[]) : []
  return {
    dialect: 'ai-sdk',
    sourceId: ids(id, list),
    ...(typeof title === 'string' ? { title } : {}),
    createdAt: timeOf(value['createdAt']) ?? 0,
    updatedAt: timeOf(value['updatedAt']) ?? 0,
    nodes: inLine(list),
  }
}

function inLine(messages: readonly unknown[]): readonly ConversationNode[] {
  let parentId: string | null = null
  return messages.map((message) => {
    const before: string | null = parentId
    const { id, createdAt, metadata } = isObject(message) ? message : {}
    // Messages of other kinds may be among them.
    const own = typeof id === 'string' && id !== '' ? id : contentHash(`${before ?? ''} ${contentOf(message)}`)
    parentId = own
    return {
      id: own,
      parentId: before,
      type: 'message',
      at: timeOf(createdAt) ?? (isObject(metadata) ? timeOf(metadata['createdAt']) : undefined) ?? 0,
      data: { message },
      ...(before === null ? { isBeginning: true } : {}),
    }
  })
}
