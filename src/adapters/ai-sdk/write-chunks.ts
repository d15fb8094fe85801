import type { MessageStream } from '../../client/message-stream-types.ts'
import { encodeValues } from '../encode-values.ts'
import type { Fields } from './ui-message.ts'

type PieceStream = Pick<MessageStream<object>, 'write' | 'writeReasoning' | 'writeToolInput' | 'writePart'>

/**
 * Creates a function that journals the chunks of a reply so that they can be read back with `readPieces`. Pieces of
 * text, reasoning and tool input are journalled as such: they are many, the journal joins them, and other readers of a
 * draft understand them. Every other chunk that changes the message is a structured part.
 *
 * The message of a reply that was cut off has all of its reasoning in one field. So a structured part says how much
 * reasoning came before it (`before`, in characters), where that has grown.
 */
export function writeChunks(stream: PieceStream): (chunk: Fields) => void {
  /** The text and the reasoning that began last. */
  const current: { text?: unknown; reasoning?: unknown } = {}
  /** The tools that were called, by the ids of the calls: pieces of their input do not name them. */
  const tools = new Map<unknown, string>()
  let reasoning = 0
  let told = 0

  function writePart(chunk: Fields): void {
    stream.writePart({
      ...(encodeValues(chunk) as { type: string }),
      ...(reasoning > told ? { before: reasoning } : {}),
    })
    told = reasoning
  }
  function writeDelta(kind: 'text' | 'reasoning', chunk: Fields): void {
    const delta = chunk['delta'] as string
    if (chunk['providerMetadata'] !== undefined || chunk['id'] !== current[kind]) writePart(chunk)
    else if (kind === 'reasoning') {
      reasoning += delta.length
      stream.writeReasoning(delta)
    } else if (reasoning > told) writePart(chunk)
    else stream.write(delta)
  }
  function writeInput({ toolCallId, inputTextDelta }: Fields): void {
    const name = tools.get(toolCallId)
    stream.writeToolInput({
      id: toolCallId as string,
      ...(name === undefined ? {} : { name }),
      input: inputTextDelta as string,
    })
  }

  return (chunk) => {
    const { type, id, messageMetadata } = chunk
    if (type === 'text-delta') return writeDelta('text', chunk)
    if (type === 'reasoning-delta') return writeDelta('reasoning', chunk)
    if (type === 'tool-input-delta') return writeInput(chunk)
    if (type === 'tool-input-start') tools.set(chunk['toolCallId'], chunk['toolName'] as string)
    if (type === 'text-start') current.text = id
    if (type === 'reasoning-start') current.reasoning = id
    if (type === 'start' || type === 'finish') {
      if (messageMetadata != null) writePart({ type: 'message-metadata', messageMetadata })
    } else if (!silent.has(type) && !chunk['transient']) writePart(chunk)
  }
}

/** Chunks that change nothing in the message. */
const silent: ReadonlySet<string> = new Set(['finish-step', 'error', 'abort'])
