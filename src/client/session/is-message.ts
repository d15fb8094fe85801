import type { InboundMessage, PicoclawMessage } from '../../contract/message-identity.ts'

/** Fields that only a message has; `agentId` is not one, because it can also be given with a key. */
export type MessageField = Exclude<keyof InboundMessage | keyof PicoclawMessage, 'agentId'>

const messageFields = Object.keys({
  channel: 0,
  account: 0,
  chatId: 0,
  chat_id: 0,
  chatType: 0,
  chat_type: 0,
  topicId: 0,
  topic_id: 0,
  spaceId: 0,
  space_id: 0,
  spaceType: 0,
  space_type: 0,
  senderId: 0,
  sender_id: 0,
  mentioned: 0,
  sessionKey: 0,
  session_key: 0,
} satisfies Record<MessageField, 0>)

/**
 * Whether an object is a message: it has one of a message's fields, even an empty one. An app that forgot the value
 * must not get a new session for it.
 */
export function isMessage(target: object): target is InboundMessage | PicoclawMessage {
  return messageFields.some((field) => field in target)
}
