import type { Message } from '../../contract/message.ts'

/** A message for a model: without the mark `interrupted`, because providers refuse fields that they do not know. */
export function withoutMark(message: Message): Message {
  if (message['interrupted'] !== true) return message
  const { interrupted: _, ...rest } = message
  return rest as Message
}
