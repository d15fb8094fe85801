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

  return (chunk) => {
    const { type, id, messageMetadata } = chunk
    if (type === 'text-delta') return writeDelta('text', chunk)
    if (type === 'reasoning-delta') return writeDelta('reasoning', chunk)
    if (type === 'tool-input-delta')
      return stream.writeToolInput({ id: chunk['toolCallId'] as string, input: chunk['inputTextDelta'] as string })
    if (type === 'text-start') current.text = id
    if (type === 'reasoning-start') current.reasoning = id
    if (type === 'start' || type === 'finish') {
      if (messageMetadata != null) writePart({ type: 'message-metadata', messageMetadata })
    } else if (!silent.has(type) && !chunk['transient']) writePart(chunk)
  }
}

/** Chunks that change nothing in the message. */
const silent: ReadonlySet<string> = new Set(['finish-step', 'error', 'abort'])
