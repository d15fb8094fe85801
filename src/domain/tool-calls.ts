type Fields = Readonly<Record<string, unknown>>

const noFields: readonly Fields[] = []

/**
 * Ids of the tool calls a message makes, in order, each once. A call is open until some message has its id among {@link resultIds}.
 * Knows `tool_calls` (OpenAI, PicoClaw) and the parts of `content` and `parts`: `tool_use` and its server and MCP kinds (Anthropic,
 * ai-panel), `toolCall` (pi), `tool-call` (AI SDK `ModelMessage`), `tool-<name>` and `dynamic-tool` (AI SDK `UIMessage`). Calls
 * without an id, or with an empty one, can have no result and are left out. Takes any shape and never throws.
 */
export function callIds(message: unknown): string[] {
  const calls = listOf(fieldsOf(message).tool_calls)
  const parts = partsOf(message)
  if (calls.length + parts.length === 0) return []
  const ids = calls.map((call) => fieldsOf(call).id)
  for (const part of parts) {
    if (isUiTool(part) || part.type === 'tool-call') ids.push(part.toolCallId)
    else if (part.type === 'toolCall' || endsWith(part.type, 'tool_use')) ids.push(part.id)
  }
  return distinctIds(ids)
}

/**
 * Ids of the tool calls a message answers, in order, each once: `tool_call_id` of role `tool` (OpenAI, PicoClaw), `toolCallId` of role
 * `toolResult` (pi), and the parts `tool_result` with its server and MCP kinds (Anthropic, ai-panel), `tool-result` (AI SDK
 * `ModelMessage`), and the tool parts of an AI SDK `UIMessage` that have come to an output, an error or a denial: these are call and
 * result in one. Takes any shape and never throws.
 */
export function resultIds(message: unknown): string[] {
  const { role, tool_call_id: openAiId, toolCallId: piId } = fieldsOf(message)
  const ids: unknown[] = role === 'tool' ? [openAiId] : role === 'toolResult' ? [piId] : []
  const parts = partsOf(message)
  if (ids.length + parts.length === 0) return []
  for (const part of parts) {
    if (isUiTool(part) ? endedStates.has(part.state) : part.type === 'tool-result') ids.push(part.toolCallId)
    else if (endsWith(part.type, 'tool_result')) ids.push(part.tool_use_id)
  }
  return distinctIds(ids)
}

const endedStates: ReadonlySet<unknown> = new Set(['output-available', 'output-error', 'output-denied'])

/** A UI part names its tool in its type, and a tool may be called `call` or `result`; only UI parts have a state. */
function isUiTool({ type, state }: Fields): boolean {
  return typeof type === 'string' && typeof state === 'string' && (type === 'dynamic-tool' || type.startsWith('tool-'))
}

function endsWith(type: unknown, ending: string): boolean {
  return typeof type === 'string' && type.endsWith(ending)
}

function partsOf(message: unknown): readonly Fields[] {
  const { content, parts } = fieldsOf(message)
  // Most messages have neither.
  return Array.isArray(content) || Array.isArray(parts) ? [...listOf(content), ...listOf(parts)].map(fieldsOf) : noFields
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
