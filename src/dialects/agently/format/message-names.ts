import type { EntryView } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import { createMessageNames } from '../../../formats/create-message-names.ts'
import type { MessageForm } from '../../../formats/known-messages.ts'
import { sayInContent } from '../../../formats/say-in-content.ts'

/** Host message ids for messages from Agently. */
export const agentlyNames = createMessageNames('ag-')

/** A message as an export writes it. Messages have the same form in Agently, but it reads nothing but their content. */
export function messageOf({ message, mid }: Pick<EntryView, 'message' | 'mid'>): JsonObject {
  const isAgently = agentlyNames.hashIn(mid) !== undefined
  return (isAgently ? message : sayInContent(message as Message)) as JsonObject
}

export const agentlyForm: MessageForm = {
  hashIn: agentlyNames.hashIn,
  hashesOf: (view) => [agentlyNames.hashOf(messageOf(view))],
}
