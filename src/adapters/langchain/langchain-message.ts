import type { JsonObject } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'

/** What LangChain makes messages of. */
export interface StoredLangChainMessage {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** A `BaseMessage`, as far as it is looked at. */
export interface LangChainMessage {
  readonly id?: string | undefined
  readonly content: unknown
  readonly lc_kwargs: object
  _getType(): string
}

const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' }
const types: Readonly<Record<string, string>> = { user: 'human', assistant: 'ai', system: 'system' }

/** Fields that a message may have got after it was made. */
const lateFields = ['id', 'name', 'additional_kwargs', 'response_metadata', 'tool_calls', 'usage_metadata']

/**
 * What LangChain can make the message of again. It is not what `toDict` gives, which loses dates, bytes and ids that
 * were set late.
 */
export function storedForm(message: LangChainMessage): StoredLangChainMessage {
  const fields = new Set([...Object.keys(message.lc_kwargs), ...lateFields, 'content'])
  // The same as the content.
  fields.delete('contentBlocks')
  const data = [...fields].flatMap((field) => {
    const value: unknown = Reflect.get(message, field)
    return value === undefined ? [] : [[field, plainOf(value)]]
  })
  return { type: message._getType(), data: Object.fromEntries(data) }
}

/** Makes plain objects of instances, such as documents that a tool found. */
function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf)
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  return Object.fromEntries(Object.entries(value as object).map(([key, part]) => [key, plainOf(part)]))
}

/**
 * A chat message with LangChain's form beside its role and its content, which is stored once. Calls of tools are also in
 * the form that other readers know.
 */
export function messageOf({ type, data: { content, ...data } }: StoredLangChainMessage): Message {
  const isReadable = typeof content === 'string' || (Array.isArray(content) && content.every(isPart))
  const { role = roles[type] ?? type, tool_calls: calls, tool_call_id } = data
  return {
    role: role as string,
    ...(isReadable && { content: encodeValues(content) as string }),
    ...(Array.isArray(calls) && calls.length > 0 && { tool_calls: calls.map(openAiCall) }),
    ...(tool_call_id !== undefined && { tool_call_id: tool_call_id as string }),
    langchain: encodeValues({ type, data: isReadable ? data : { ...data, content } }) as JsonObject,
  }
}

const isPart = (part: unknown): boolean =>
  typeof part === 'string' ||
  (typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string')

const openAiCall = ({ id, name, args }: { readonly id?: string; readonly name: string; readonly args: unknown }) => ({
  type: 'function',
  ...(id !== undefined && { id }),
  function: { name, arguments: JSON.stringify(args) },
})

/** Undoes {@link messageOf}. Messages that others stored get the type of their role. */
export function storedFormOf(message: Message): StoredLangChainMessage {
  const { role, content, langchain, tool_calls, tool_call_id } = message
  if (langchain !== undefined) {
    const { type, data } = decodeValues(langchain) as StoredLangChainMessage
    return { type, data: content === undefined ? data : { content: decodeValues(content), ...data } }
  }
  const type = role === 'tool' && tool_call_id !== undefined ? 'tool' : (types[role] ?? 'generic')
  return {
    type,
    data: {
      content: content ?? '',
      role,
      tool_call_id,
      ...(tool_calls !== undefined && { additional_kwargs: { tool_calls } }),
    },
  }
}
