import type { Message } from '../../contract/message.ts'

/**
 * A message for a model: without the marks of a reply that was cut off, because providers refuse fields that they do
 * not know.
 */
export function withoutMark(message: Message): Message {
  if (message['interrupted'] !== true) return message
  const { interrupted: _, stopped: __, ...rest } = message
  return rest as Message
}
