import type { JsonObject } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'

/** Says that the item has no role of its own. A message needs one. */
const roleless = '$roleless'

/** Makes a message of an item. Items that are no messages, such as calls, get the role of whoever makes them. */
export function messageOfItem(item: object): Message {
  const encoded = encodeValues(item) as JsonObject
  const { role, type } = encoded
  if (typeof role === 'string') return encoded as unknown as Message
  const made = typeof type === 'string' && /_(?:result|output)$/.test(type) ? 'tool' : 'assistant'
  return { ...encoded, role: made, [roleless]: true }
}

/** Undoes {@link messageOfItem}. Other messages of the session are items as they are. */
export function itemOfMessage<Item>(message: Message): Item {
  const { [roleless]: isRoleless, role, ...rest } = message
  return decodeValues(isRoleless === true ? rest : message) as Item
}
