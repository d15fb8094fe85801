import { toolPart } from './tool-part.ts'

type Fields = Readonly<Record<string, unknown>>

const noParts: readonly unknown[] = []

/**
 * Ids of the tool calls a message makes, in order, each once. A call is open until some message has its id among
 * {@link resultIds}. Knows `tool_calls` (OpenAI, PicoClaw) and the parts of `content` and `parts` that {@link toolPart}
 * knows. Calls without an id, or with an empty one, can have no result and are left out. Takes any shape and never
 * throws.
 */
export function callIds(message: unknown): string[] {
  const calls = listOf(fieldsOf(message).tool_calls)
  const parts = partsOf(message)
  if (calls.length + parts.length === 0) return []
  const ids = calls.map((call) => fieldsOf(call).id)
  for (const part of parts) {
    const tool = toolPart(part)
    if (tool !== undefined && tool.kind !== 'result') ids.push(tool.id)
  }
  return distinctIds(ids)
}

/**
 * Ids of the tool calls a message answers, in order, each once: `tool_call_id` of role `tool` (OpenAI, PicoClaw),
 * `toolCallId` of role `toolResult` (pi), and the parts that are results; the tool parts of an AI SDK `UIMessage` that
 * have come to an output, an error or a denial are call and result in one. Takes any shape and never throws.
 */
export function resultIds(message: unknown): string[] {
  const { role, tool_call_id: openAiId, toolCallId: piId } = fieldsOf(message)
  const ids: unknown[] = role === 'tool' ? [openAiId] : role === 'toolResult' ? [piId] : []
  const parts = partsOf(message)
  if (ids.length + parts.length === 0) return []
  for (const part of parts) {
    const tool = toolPart(part)
    if (tool?.kind === 'result' || tool?.kind === 'whole') ids.push(tool.id)
  }
  return distinctIds(ids)
}

/** Whether a call that one of these messages makes has no result among them. */
export function hasOpenCalls(messages: readonly unknown[]): boolean {
  const results = new Set(messages.flatMap(resultIds))
  return messages.some((message) => callIds(message).some((id) => !results.has(id)))
}

function partsOf(message: unknown): readonly unknown[] {
  const { content, parts } = fieldsOf(message)
  // Most messages have none of these.
  return Array.isArray(content) || Array.isArray(parts) ? [...listOf(content), ...listOf(parts)] : noParts
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function distinctIds(ids: readonly unknown[]): string[] {
  return [...new Set(ids)].filter((id): id is string => typeof id === 'string' && id !== '')
}
