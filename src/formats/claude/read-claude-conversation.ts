import { SessionError } from '../../contract/errors.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { isObject } from '../is-plain-object.ts'
import { timeOf } from '../time.ts'
import { readMessage } from './read-claude-message.ts'

type Fields = Readonly<Record<string, unknown>>

/** The parent of a first message. */
const rootId = /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/

/**
 * Reads one conversation of a Claude.ai export: `{ uuid, name, chat_messages: [{ uuid, sender, text, content,
 * parent_message_uuid? }], … }`. If no message names its parent (older exports), each follows the one before. First
 * messages that were edited and sent again name the same root.
 *
 * Its `summary` describes it in a list and is not sent to the model, so that it is stored in `custom.claude`.
 *
 * @throws InvalidInput when it has no id
 */
export function readClaude(value: Fields): Conversation {
  const {
    uuid,
    name,
    summary,
    chat_messages: found,
    project,
    model,
    is_starred: starred,
    current_leaf_message_uuid: current,
  } = value
  if (typeof uuid !== 'string' || uuid.trim() === '') throw new SessionError('InvalidInput', 'it has no uuid')
  const messages = (Array.isArray(found) ? found : []).filter(isObject)
  const roots = new Set<string>()
  let before: string | null = null
  const nodes = messages.map((message, i): ConversationNode => {
    const { uuid: own, parent_message_uuid: named, created_at: createdAt } = message
    const id = typeof own === 'string' && own !== '' ? own : `message-${i + 1}`
    const isNamed = typeof named === 'string' && named !== ''
    if (isNamed && rootId.test(named)) roots.add(id)
    const parentId = named === undefined ? before : isNamed && !rootId.test(named) ? named : null
    before = id
    const read = readMessage(message, id)
    return {
      id,
      parentId,
      type: 'message',
      at: timeOf(createdAt) ?? 0,
      ...(read === undefined ? {} : { data: { message: read } }),
    }
  })
  return {
    dialect: 'claude',
    sourceId: uuid.trim(),
    ...(typeof name === 'string' ? { title: name } : {}),
    createdAt: timeOf(value['created_at']) ?? 0,
    updatedAt: timeOf(value['updated_at']) ?? 0,
    ...(typeof starred === 'boolean' ? { tags: starred ? ['starred'] : [] } : {}),
    custom: {
      summary,
      model,
      project: isObject(project) ? { uuid: project['uuid'], name: project['name'] } : undefined,
    },
    nodes: continueLines(nodes, ({ id }) => roots.has(id)),
    ...(typeof current === 'string' ? { current } : {}),
  }
}
