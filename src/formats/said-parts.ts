import type { JsonObject, JsonValue } from '../contract/json.ts'
import type { Message } from '../contract/message.ts'
import { isObject } from './is-plain-object.ts'

/**
 * The parts in which a message says something: those of its `content`, otherwise `parts`. A reply of the AI SDK that
 * was cut off has the chunks of its stream as content; of these, all that belong to one call of a tool are joined to one
 * part, as a `UIMessage` has it. If the reply went on in a message, that had `parts` before.
 */
export function saidParts(message: Message): readonly JsonValue[] {
  const { content, parts, tool_calls: calls } = message as JsonObject
  if (hasChunks(message)) return joinChunks([...listOf(parts), ...listOf(content)], listOf(calls))
  const said = content ?? parts
  return typeof said === 'string' ? [said] : listOf(said)
}

/** Whether the content of a message is the chunks of a reply of the AI SDK that was cut off. */
export function hasChunks({ content }: Message): boolean {
  return Array.isArray(content) && (content as readonly JsonValue[]).some((part) => isChunk(fieldsOf(part)))
}

/** The state in which a chunk leaves a call. */
const callStates: Readonly<Record<string, string>> = {
  'tool-input-start': 'input-streaming',
  'tool-input-available': 'input-available',
  'tool-input-error': 'output-error',
  'tool-output-available': 'output-available',
  'tool-output-error': 'output-error',
  'tool-output-denied': 'output-denied',
}

/** Chunks with which a step, a text or a reasoning begins. */
const beginnings: ReadonlySet<unknown> = new Set(['start-step', 'text-start', 'reasoning-start'])

const isChunk = (part: JsonObject): boolean => beginnings.has(part['type']) || isCallChunk(part)

/** Parts of a `UIMessage` have a state, and a tool may be called `input-start`. */
const isCallChunk = ({ type, state }: JsonObject): boolean =>
  state === undefined && typeof type === 'string' && Object.hasOwn(callStates, type)

function joinChunks(parts: readonly JsonValue[], calls: readonly JsonValue[]): readonly JsonValue[] {
  const joined: JsonValue[] = []
  const places = new Map<JsonValue, number>()
  for (const part of parts) {
    const fields = fieldsOf(part)
    const { toolCallId: id = null, state } = fields
    if (!isCallChunk(fields)) {
      joined.push(part)
      if (state !== undefined) places.set(id, joined.length - 1)
      continue
    }
    const place = places.get(id) ?? joined.length
    const before = joined[place] ?? { type: 'dynamic-tool', input: inputOf(calls, id) }
    joined[place] = { ...fieldsOf(before), ...callFields(fields) }
    places.set(id, place)
  }
  return joined
}

/** What a chunk says of a call. */
function callFields(chunk: JsonObject): JsonObject {
  const said = ['toolCallId', 'toolName', 'input', 'output', 'errorText'].filter((field) => chunk[field] !== undefined)
  return {
    ...Object.fromEntries(said.map((field) => [field, chunk[field]!])),
    state: callStates[String(chunk['type'])]!,
  }
}

/** What was streamed of the input of a call: its JSON text, as far as it came. */
function inputOf(calls: readonly JsonValue[], id: JsonValue): JsonValue {
  const call = calls.map(fieldsOf).find((one) => one['id'] === id)
  return fieldsOf(call?.['function'])['arguments'] ?? {}
}

const listOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : []
const fieldsOf = (value: JsonValue | undefined): JsonObject => (isObject(value) ? (value as JsonObject) : {})
