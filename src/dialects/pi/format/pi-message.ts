import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import { messageText } from '../../../domain/title.ts'
import { isObject } from '../../../formats/is-plain-object.ts'

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 }
const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost }

/**
 * Converts a message to pi's form: an assistant's content is a list of blocks, which include its tool calls, and has
 * model and usage; a tool's result has role `toolResult`; each message has a time in milliseconds. A message in this
 * form stays as it is.
 *
 * @param toolNames - names of the called tools so far, by call id: a result in OpenAI's form doesn't contain the name
 */
export function piMessage(message: JsonObject, at: number, toolNames: Map<string, string>): JsonObject {
  const {
    role,
    content,
    tool_calls: calls,
    tool_call_id: callId,
    reasoning_content: reasoning,
    model_name: model,
    ...rest
  } = message
  if (role === 'tool') {
    const toolCallId = typeof callId === 'string' ? callId : ''
    const toolName = typeof message['name'] === 'string' ? message['name'] : (toolNames.get(toolCallId) ?? '')
    return {
      role: 'toolResult',
      toolCallId,
      toolName,
      content: blocks(content),
      isError: message['isError'] === true,
      timestamp: at,
    }
  }
  if (role !== 'assistant') return typeof message['timestamp'] === 'number' ? message : { ...message, timestamp: at }
  if (Array.isArray(content) && calls === undefined && isObject(message['usage'])) return message
  const toolCalls = Array.isArray(calls) ? calls.flatMap((call) => toolCall(call, toolNames)) : []
  const thinking = typeof reasoning === 'string' && reasoning !== '' ? [{ type: 'thinking', thinking: reasoning }] : []
  return {
    ...rest,
    role,
    content: [...thinking, ...blocks(content), ...toolCalls],
    api: text(message['api']),
    provider: text(message['provider']),
    model: text(message['model'] ?? model),
    usage: isObject(message['usage']) ? message['usage'] : noUsage,
    stopReason: text(message['stopReason'], toolCalls.length > 0 ? 'toolUse' : 'stop'),
    timestamp: typeof message['timestamp'] === 'number' ? message['timestamp'] : at,
  }
}

function blocks(content: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(content)) return messageText(content) === '' ? [] : [{ type: 'text', text: messageText(content) }]
  return (content as JsonValue[]).map((part) =>
    isObject(part) ? (part as JsonObject) : { type: 'text', text: String(part) },
  )
}

function toolCall(call: JsonValue, toolNames: Map<string, string>): JsonObject[] {
  const { id, function: called } = (isObject(call) ? call : {}) as JsonObject
  if (!isObject(called)) return []
  const { name, arguments: given } = called as JsonObject
  toolNames.set(text(id), text(name))
  return [{ type: 'toolCall', id: text(id), name: text(name), arguments: parsed(given) }]
}

function parsed(given: JsonValue | undefined): JsonValue {
  if (typeof given !== 'string') return given ?? {}
  try {
    const value = JSON.parse(given) as JsonValue
    return isObject(value) ? value : { value }
  } catch {
    return { value: given }
  }
}

function text(value: JsonValue | undefined, fallback = ''): string {
  return typeof value === 'string' ? value : fallback
}
