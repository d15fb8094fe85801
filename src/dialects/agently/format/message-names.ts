import type { JsonObject } from '../../../contract/json.ts'
import { createMessageNames } from '../../../formats/create-message-names.ts'
import type { MessageForm } from '../../../formats/known-messages.ts'

/** Host message ids for messages from Agently. */
export const agentlyNames = createMessageNames('ag-')

/** Messages have the same form in Agently. */
export const agentlyForm: MessageForm = {
  hashIn: agentlyNames.hashIn,
  hashOf: ({ message }) => agentlyNames.hashOf(message as JsonObject),
}
