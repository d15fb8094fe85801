import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import { isObject } from '../../../domain/is-object.ts'

/** A call that arrives in fragments. */
interface GrowingCall {
  /** Its other fields: a provider may need them back unchanged. */
  rest: JsonObject
  id: JsonValue | undefined
  name: JsonValue | undefined
  arguments: string
}

/**
 * The tool calls in the pieces of a streamed reply, in OpenAI's form. Knows fragments in the `tool_calls` of an OpenAI
 * chunk or of its `delta`, joined by their index, and whole calls: in `tool_calls`, AI SDK's pieces `tool-call`, and
 * pieces with a `toolCall`. Takes any shape and never throws.
 */
export function toolCallsIn(pieces: readonly unknown[]): readonly JsonObject[] {
  const calls: GrowingCall[] = []
  const byIndex = new Map<JsonValue, GrowingCall>()
  const start = (): GrowingCall => {
    const call: GrowingCall = { rest: {}, id: undefined, name: undefined, arguments: '' }
    calls.push(call)
    return call
  }
  for (const fragment of pieces.flatMap(fragmentsIn)) {
    const { index, id, function: made, ...rest } = fragment
    const { name, arguments: args } = isObject(made) ? made : ({} as JsonObject)
    let call: GrowingCall
    if (typeof index === 'number') {
      const growing = byIndex.get(index)
      // Some providers give every whole call the same index.
      call = growing === undefined || (isName(id) && isName(growing.id) && id !== growing.id) ? start() : growing
      byIndex.set(index, call)
    } else {
      // A complete message at the end repeats the calls that arrived in pieces.
      if (isName(id) && calls.some((known) => known.id === id)) continue
      call = isName(id) || isName(name) ? start() : (calls.at(-1) ?? start())
    }
    call.rest = { ...call.rest, ...rest }
    if (!isName(call.id)) call.id = id
    if (!isName(call.name)) call.name = name
    call.arguments += typeof args === 'string' ? args : args === undefined || args === null ? '' : JSON.stringify(args)
  }
  return calls.map(({ rest, id, name, arguments: args }) => ({
    ...rest,
    ...(id === undefined ? {} : { id }),
    type: rest['type'] ?? 'function',
    function: { name: name ?? '', arguments: args },
  }))
}

function fragmentsIn(piece: unknown): readonly JsonObject[] {
  if (!isObject(piece)) return []
  const { type, toolCall, toolCallId, toolName, input, args, choices, delta, message } = piece
  if (type === 'tool-call') return [{ id: toolCallId, function: { name: toolName, arguments: input ?? args } }]
  if (isObject(toolCall)) {
    const { id, name, arguments: given } = toolCall
    return [{ id, function: { name, arguments: given } }]
  }
  const choice = Array.isArray(choices) ? (choices as readonly unknown[])[0] : undefined
  const places = isObject(choice) ? [choice['delta'], choice['message']] : [piece, delta, message]
  return places.flatMap((place) => {
    const listed = isObject(place) ? place['tool_calls'] : undefined
    return Array.isArray(listed) ? (listed as readonly unknown[]).filter(isObject) : []
  })
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== ''
