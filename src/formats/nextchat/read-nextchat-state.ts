import { contentNodes } from '../conversation/content-nodes.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import type { OpeningIds } from '../conversation/opening-ids.ts'
import { isObject } from '../is-plain-object.ts'
import { firstText, objectsOf } from '../message-content.ts'
import { timeOf } from '../time.ts'

type Fields = Readonly<Record<string, unknown>>

/** The sessions in a backup of NextChat. */
export function nextChatSessions(value: Fields): readonly unknown[] | undefined {
  const store = value['chat-next-web-store']
  const { sessions } = isObject(store) ? (isObject(store['state']) ? store['state'] : store) : ({} as Fields)
  return Array.isArray(sessions) ? sessions : undefined
}

/**
 * Reads a backup of NextChat: `{ "chat-next-web-store": { sessions: [{ id, topic, messages, … }] }, … }`. Its other
 * stores have keys of providers, and are not read.
 */
export function readNextChat(value: Fields, ids: OpeningIds): readonly Conversation[] {
  return objectsOf(nextChatSessions(value)).map((session): Conversation => {
    const { id, topic, messages, lastUpdate, memoryPrompt } = session
    const said = objectsOf(messages).map(readMessage)
    return {
      dialect: 'nextchat',
      sourceId: ids(
        id,
        said.map(({ message }) => message),
      ),
      ...(typeof topic === 'string' ? { title: topic } : {}),
      updatedAt: timeOf(lastUpdate) ?? 0,
      custom: { memoryPrompt: firstText(memoryPrompt) },
      nodes: nodesOf(said),
    }
  })
}

interface Said {
  readonly id: string | undefined
  readonly message: Fields
  readonly at: number
}

/** A message. Its `date` is text in the language of the device, and not read unless it is ISO. */
function readMessage({ id, role, content, model, date }: Fields): Said {
  return {
    id: firstText(id),
    message: { role, content, ...(typeof model === 'string' && model !== '' ? { model } : {}) },
    at: timeOf(date) ?? 0,
  }
}

function nodesOf(said: readonly Said[]): readonly ConversationNode[] {
  const isNamed = said.every(({ id }) => id !== undefined) && new Set(said.map(({ id }) => id)).size === said.length
  if (!isNamed) return contentNodes(said.map(({ message }) => message))
  return continueLines(
    said.map(
      ({ id, message, at }): ConversationNode => ({ id: id!, parentId: null, type: 'message', at, data: { message } }),
    ),
  )
}
