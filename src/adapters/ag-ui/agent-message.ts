import type { JsonObject } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'
import type { AgUiMessage } from './ag-ui-types.ts'

/** Where content lies that a message of the store can't have: that of an activity is an object of any shape. */
const otherContent = '$content'

/** The message as it is stored. */
export function messageOfAgent(message: AgUiMessage): Message {
  const encoded = encodeValues(message) as JsonObject
  const { content } = encoded
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return encoded as unknown as Message
  const { content: _, ...rest } = encoded
  return { ...rest, [otherContent]: content } as unknown as Message
}

/**
 * Undoes {@link messageOfAgent}. What a crash or a stop left as marks stays in the store: AG-UI knows no such fields.
 *
 * @param id - for messages that did not come from an agent
 */
export function messageForAgent({ interrupted: _, stopped: _stopped, ...message }: Message, id: string): AgUiMessage {
  const { [otherContent]: content, ...rest } = message
  const whole = content === undefined ? rest : { ...rest, content }
  return { ...(decodeValues(whole) as AgUiMessage), id }
}
