import { toolPart } from './tool-part.ts'

type Fields = Readonly<Record<string, unknown>>

/** What a call or a result of a tool says. A call has no output, and most results do not name their tool. */
interface ToolContent {
  readonly name: string
  /** JSON, or JSON as text. */
  readonly input: unknown
  /** Text, a list of parts, or JSON. */
  readonly output: unknown
  readonly isError: boolean
}

/**
 * Reads what a call or a result says, in each form that `toolPart` knows and in that of OpenAI's `tool_calls`. Takes any
 * shape and never throws.
 */
export function toolContent(part: unknown): ToolContent {
  const { type, state, function: target, toolName, name, arguments: args, input, ...said } = fieldsOf(part)
  const called = fieldsOf(target)
  const { content, output, result, errorText, is_error: isMarked } = said
  const given = content ?? output ?? result ?? errorText
  const { type: form, value, reason } = fieldsOf(given)
  const named = called['name'] ?? toolName ?? name ?? nameInType(part, type)
  return {
    name: typeof named === 'string' ? named : '',
    input: called['arguments'] ?? args ?? input,
    // The AI SDK says of an output what it is: `{ type: 'json', value }`.
    output: typeof form === 'string' ? (value ?? reason ?? given) : given,
    isError:
      isMarked === true ||
      errorText !== undefined ||
      state === 'output-denied' ||
      state === 'error' ||
      (typeof form === 'string' && /^(error|execution-denied)/.test(form)),
  }
}

/** The AI SDK's UI parts have the name of the tool in their type. */
function nameInType(part: unknown, type: unknown): string | undefined {
  const kind = toolPart(part)?.kind
  return kind !== 'call' && kind !== 'result' && typeof type === 'string' && type.startsWith('tool-')
    ? type.slice('tool-'.length)
    : undefined
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
