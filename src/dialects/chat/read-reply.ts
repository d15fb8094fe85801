import type { MessageStream } from '../../client/message-stream-types.ts'
import { drawId } from '../../client/session/draw-id.ts'
import { unlessAborted } from '../../client/upkeep/unless-aborted.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { ChatEvent, ChatModel, ModelRequest, ToolCall } from './chat-types.ts'
import { ModelFailure } from './model-failure.ts'

/** A call with all the fields that its result needs. */
export interface NamedCall {
  readonly id: string
  readonly name: string
  /** The arguments as JSON text, in whichever form the model gave them. */
  readonly arguments: string
}

export interface Reply {
  /** Absent when the model said nothing. */
  readonly message: Message | undefined
  readonly calls: readonly NamedCall[]
}

/**
 * Asks the model and forwards its reply while it arrives.
 *
 * @param journal - stores text and reasoning while they grow
 * @throws Aborted as soon as the request's signal fires, whether the model reacts to it or not; ModelFailure with an
 * error of the model
 */
export async function readReply(
  model: ChatModel,
  request: ModelRequest,
  journal: MessageStream,
  send: (event: ChatEvent) => void,
): Promise<Reply> {
  const calls: NamedCall[] = []
  let reasoning = ''
  let usage: JsonObject | undefined
  for await (const event of untilAborted(() => model.reply(request), request.signal)) {
    if (event.type === 'text') {
      journal.write(event.text)
      send({ type: 'text_delta', text: event.text })
    } else if (event.type === 'thinking') {
      reasoning += event.text
      journal.writeReasoning(event.text)
      send({ type: 'thinking_delta', text: event.text })
    } else if (event.type === 'toolCall') {
      const call = nameCall(event.toolCall, calls)
      calls.push(call)
      send({ type: 'tool_call', tool_call: { id: call.id, name: call.name, input: inputOf(call) } })
    } else if (event.type === 'usage') usage = event.usage
  }
  const content = journal.text
  // Reasoning without a reply is a transient thought, as in PicoClaw, and is not stored.
  if (content === '' && calls.length === 0) return { message: undefined, calls }
  return {
    calls,
    message: {
      role: 'assistant',
      content,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map(({ id, ...called }) => ({ id, type: 'function', function: called })) }),
      ...(usage === undefined ? {} : { usage }),
    },
  }
}

/** A call needs an id that is unique in its reply, so that its result can be assigned to it. */
function nameCall({ id, name, arguments: args }: ToolCall, others: readonly NamedCall[]): NamedCall {
  const isOwn = typeof id === 'string' && id !== '' && others.every((other) => other.id !== id)
  return {
    id: isOwn ? id : `call_${drawId()}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
  }
}

function inputOf(call: NamedCall): JsonValue {
  try {
    return JSON.parse(call.arguments) as JsonValue
  } catch {
    return call.arguments
  }
}

async function* untilAborted<T>(open: () => AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = await ofModel(() => open()[Symbol.asyncIterator]())
  let isOver = false
  try {
    for (;;) {
      const step = ofModel(() => iterator.next())
      step.catch(() => (isOver = true))
      const { done, value } = await unlessAborted(step, signal, 'The reply')
      isOver = done === true
      if (isOver) return
      yield value as T
    }
  } finally {
    // Not awaited, because a generator that waits for its provider returns only once that has answered.
    if (!isOver) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}

async function ofModel<T>(act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw new ModelFailure(error)
  }
}
