import { SessionError } from '../../contract/errors.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { timeOfSeconds } from '../conversation/seconds.ts'
import { isObject } from '../is-plain-object.ts'
import { readMessage } from './read-open-webui-message.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads one conversation of Open WebUI: `{ id, title, chat: { models, history: { currentId, messages: { id: { parentId,
 * … } } } }, … }`, or the `chat` alone. Its settings (`params`) are not imported.
 *
 * @throws InvalidInput when it has no id
 */
export function readOpenWebUi(value: Fields): Conversation {
  const chat = isObject(value['chat']) ? value['chat'] : value
  const history = isObject(chat['history']) ? chat['history'] : {}
  const sourceId = [value['id'], chat['id']].find((id) => typeof id === 'string' && id.trim() !== '')
  if (typeof sourceId !== 'string') throw new SessionError('InvalidInput', 'it has no id')
  const { currentId: current, messages } = history
  const entries = new Map(
    Object.entries(isObject(messages) ? messages : {}).filter((pair): pair is [string, Fields] => isObject(pair[1])),
  )
  const nodes = [...entries].map(([id, message]): ConversationNode => {
    const { parentId, timestamp } = message
    const read = readMessage(message, id)
    return {
      id,
      parentId: typeof parentId === 'string' && parentId !== '' ? parentId : null,
      type: 'message',
      at: timeOfSeconds(timestamp),
      ...(read === undefined ? {} : { data: { message: read } }),
    }
  })
  // A first question that was edited has no parent either. If no message has a parent, they are not linked at all.
  const isChained = nodes.some(({ parentId }) => parentId !== null)
  const isQuestion = ({ id }: ConversationNode): boolean => isChained && entries.get(id)?.['role'] === 'user'
  const title = [value['title'], chat['title']].find((one) => typeof one === 'string')
  const { archived, pinned, folder_id: folder } = value
  return {
    dialect: 'open-webui',
    sourceId: sourceId.trim(),
    ...(typeof title === 'string' ? { title } : {}),
    createdAt: timeOfSeconds(value['created_at'] ?? chat['timestamp']),
    updatedAt: timeOfSeconds(value['updated_at']),
    ...(typeof archived === 'boolean' ? { archived } : {}),
    tags: [...(pinned === true ? ['pinned'] : []), ...tagsOf(value['meta']), ...tagsOf(chat)],
    custom: { models: Array.isArray(chat['models']) ? chat['models'] : undefined, folder },
    nodes: continueLines(nodes, isQuestion),
    ...(typeof current === 'string' ? { current } : {}),
  }
}

function tagsOf(found: unknown): readonly string[] {
  const tags = isObject(found) ? found['tags'] : undefined
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}
