import type { EntryView } from '../contract/entry.ts'
import type { Message } from '../contract/message.ts'
import { messageText } from '../domain/title.ts'

/** What a message says, as text; what it calls or holds, where it says nothing. */
export function textOfMessage(message: Message): string {
  const { content, parts, tool_calls: calls } = message
  const text = messageText(content) || messageText(parts)
  if (text !== '') return text
  if (Array.isArray(calls) && calls.length > 0) return `calls ${calls.map(nameOfCall).join(', ')}`
  const list = Array.isArray(content) && content.length > 0 ? content : Array.isArray(parts) ? parts : []
  return list.map(kindOfPart).join(', ')
}

export const textOfEntry = ({ message, data }: EntryView): string =>
  message === undefined ? JSON.stringify(data ?? {}).slice(0, 600) : textOfMessage(message)

/** Its role for a message, otherwise its type. */
export const kindOfEntry = ({ type, message }: EntryView): string => message?.role ?? type

/** What is particular about it. */
export function marksOfEntry({ edit, message }: EntryView): string {
  return [
    edit !== undefined && 'edited',
    message?.['interrupted'] === true && 'interrupted',
    message?.['stopped'] === true && 'stopped',
  ]
    .filter((mark) => mark !== false)
    .join(', ')
}

function nameOfCall(call: unknown): string {
  const { name, function: called } = (call ?? {}) as {
    readonly name?: unknown
    readonly function?: { readonly name?: unknown }
  }
  return String(called?.name ?? name ?? 'a tool')
}

function kindOfPart(part: unknown): string {
  const { type } = (part ?? {}) as { readonly type?: unknown }
  return typeof type === 'string' ? `[${type}]` : '[part]'
}
