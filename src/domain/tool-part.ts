type Fields = Readonly<Record<string, unknown>>

/**
 * The role of a message part for a tool. `call` and `result` are two sides with the same `id`; `whole` is both in one
 * (AI SDK `UIMessage`), and `open` is such a part without a result yet.
 */
export interface ToolPart {
  readonly kind: 'call' | 'result' | 'whole' | 'open'
  /** The id as stored: anything but a non-empty string pairs with nothing. */
  readonly id: unknown
}

/**
 * Reads a part of `content` or `parts` in every dialect: `tool_use` and `tool_result` with their server and MCP kinds
 * (Anthropic, ai-panel), `toolCall` (pi), `tool-call` and `tool-result` (AI SDK `ModelMessage`, TanStack AI),
 * `tool-<name>` and `dynamic-tool` (AI SDK `UIMessage`). Takes any shape and never throws.
 *
 * @returns `undefined` for a part that is neither call nor result
 */
export function toolPart(part: unknown): ToolPart | undefined {
  const fields: Fields = typeof part === 'object' && part !== null ? (part as Fields) : {}
  const { type, toolCallId } = fields
  if (isUiTool(fields)) return { kind: endedStates.has(fields['state']) ? 'whole' : 'open', id: toolCallId }
  if (type === 'tool-call') return { kind: 'call', id: toolCallId ?? fields['id'] }
  if (type === 'toolCall' || endsWith(type, 'tool_use')) return { kind: 'call', id: fields['id'] }
  if (type === 'tool-result') return { kind: 'result', id: toolCallId }
  return endsWith(type, 'tool_result') ? { kind: 'result', id: fields['tool_use_id'] } : undefined
}

const endedStates: ReadonlySet<unknown> = new Set(['output-available', 'output-error', 'output-denied'])

/**
 * A UI part names its tool in its type, and a tool may be called `call` or `result`. Of the parts that are really called
 * so, those of TanStack AI have a state too, but other states, and a call has its id elsewhere.
 */
function isUiTool({ type, state, toolCallId }: Fields): boolean {
  if (typeof type !== 'string' || typeof state !== 'string') return false
  if (type === 'tool-call') return toolCallId !== undefined
  if (type === 'tool-result') return !tanStackStates.has(state)
  return type === 'dynamic-tool' || type.startsWith('tool-')
}

/** The states of a result in TanStack AI. */
const tanStackStates: ReadonlySet<unknown> = new Set(['streaming', 'complete', 'error'])

function endsWith(type: unknown, ending: string): boolean {
  return typeof type === 'string' && type.endsWith(ending)
}
