import { SessionError } from '../../contract/errors.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { timeOfSeconds } from '../conversation/seconds.ts'
import { isObject } from '../is-plain-object.ts'
import { readMessage } from './read-chatgpt-message.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads one conversation of ChatGPT's `conversations.json`: `{ id, title, mapping: { nodeId: { message, parent } },
 * current_node, … }`. Nodes are identified by the ids of the mapping, because a message's own id may occur in several
 * conversations. Every fork, even of first messages, has a common parent node. So a later node without a parent is not
 * a new beginning, and continues from the node before it.
 *
 * @throws InvalidInput when it has no id
 */
export function readChatGpt(value: Fields): Conversation {
  const {
    mapping,
    title,
    current_node: current,
    default_model_slug: model,
    gizmo_id: gizmo,
    conversation_template_id: template,
    is_archived: archived,
    is_starred: starred,
  } = value
  const sourceId = [value['conversation_id'], value['id']].find((id) => typeof id === 'string' && id.trim() !== '')
  if (typeof sourceId !== 'string') throw new SessionError('InvalidInput', 'it has no id')
  const entries = new Map(
    Object.entries(isObject(mapping) ? mapping : {}).filter((pair): pair is [string, Fields] => isObject(pair[1])),
  )
  const messages = new Map(
    [...entries].map(([id, { message }]) => [id, isObject(message) ? readMessage(message, id) : undefined]),
  )
  const nodes = [...entries].map(([id, { message, parent }]): ConversationNode => {
    const parentId = typeof parent === 'string' && parent !== '' ? parent : null
    const read = messages.get(id)
    // A tool's message that is the child of a call is its result.
    const isResult = read?.role === 'tool' && messages.get(parentId ?? '')?.['tool_calls'] !== undefined
    return {
      id,
      parentId,
      type: 'message',
      at: timeOfSeconds(isObject(message) ? message['create_time'] : undefined),
      ...(read === undefined ? {} : { data: { message: isResult ? { ...read, tool_call_id: parentId } : read } }),
    }
  })
  return {
    dialect: 'chatgpt',
    sourceId: sourceId.trim(),
    ...(typeof title === 'string' ? { title } : {}),
    createdAt: timeOfSeconds(value['create_time']),
    updatedAt: timeOfSeconds(value['update_time']),
    ...(typeof archived === 'boolean' ? { archived } : {}),
    ...(typeof starred === 'boolean' ? { tags: starred ? ['starred'] : [] } : {}),
    custom: { model, gizmo, template },
    nodes: continueLines(nodes),
    ...(typeof current === 'string' ? { current } : {}),
  }
}
