import type { DraftPart } from '../../contract/change.ts'
import type { Message, MessagePart } from '../../contract/message.ts'
import { decodeValues } from '../encode-values.ts'
import type { Fields } from './ui-message.ts'

/**
 * Creates a function that takes all pieces of a draft, again each time that they have grown, and gives the chunks that
 * are new: those that `writeChunks` was given, with the pieces of a text joined.
 */
export function readPieces(): (pieces: readonly DraftPart[]) => readonly Fields[] {
  const current = { text: '', reasoning: '' }
  /** Characters that were read of the last piece, and of each tool input by its place: only these can grow. */
  const lengths = new Map<number, number>()
  let next = 0

  function grown(piece: DraftPart | undefined, at: number): readonly Fields[] {
    if (piece === undefined) return []
    if (piece.type === 'part') return [begin(piece.part)]
    const whole = piece.type === 'toolInput' ? piece.input : piece.text
    const delta = whole.slice(lengths.get(at) ?? 0)
    lengths.set(at, whole.length)
    if (delta === '') return []
    if (piece.type === 'toolInput') return [{ type: 'tool-input-delta', toolCallId: piece.id, inputTextDelta: delta }]
    return [{ type: `${piece.type}-delta`, id: current[piece.type], delta }]
  }

  function begin(part: Exclude<MessagePart, string>): Fields {
    const { before: _, ...chunk } = part
    if (part.type === 'text-start') current.text = String(part['id'])
    if (part.type === 'reasoning-start') current.reasoning = String(part['id'])
    return decodeValues(chunk) as Fields
  }

  return (pieces) => {
    const chunks = [...lengths.keys()].flatMap((at) => grown(pieces[at], at))
    for (; next < pieces.length; next++) {
      // A text that something follows can't grow any more.
      if (pieces[next - 1]?.type !== 'toolInput') lengths.delete(next - 1)
      for (const chunk of grown(pieces[next], next)) chunks.push(chunk)
    }
    return chunks
  }
}

/**
 * The pieces of a message that was made of a draft, in the order in which they were written. Takes messages of other
 * hosts, too: what they have as text and reasoning.
 */
export function piecesOf({ content, reasoning_content, tool_calls }: Message): readonly DraftPart[] {
  const items = typeof content === 'string' ? [content] : (content ?? [])
  const reasoning = typeof reasoning_content === 'string' ? reasoning_content : ''
  const pieces: DraftPart[] = []
  let read = 0
  const addReasoning = (to: number): void => {
    if (to > read) pieces.push({ type: 'reasoning', text: reasoning.slice(read, to) })
    read = Math.max(read, to)
  }
  const begins = (item: MessagePart): boolean => typeof item === 'object' && item.type === 'reasoning-start'
  if (!items.some(begins)) addReasoning(reasoning.length)
  for (const item of items) {
    const text = typeof item === 'string' ? item : item.type === 'text' ? item['text'] : undefined
    if (typeof text === 'string') pieces.push({ type: 'text', text })
    if (typeof item === 'string' || text !== undefined) continue
    if (typeof item['before'] === 'number') addReasoning(item['before'])
    pieces.push({ type: 'part', part: item })
    if (item.type === 'tool-input-start') {
      const id = String(item['toolCallId'])
      pieces.push({ type: 'toolInput', id, input: inputOf(tool_calls, id) })
    }
  }
  addReasoning(reasoning.length)
  return pieces
}

/** What there is of the input of a call, in OpenAI's form of calls. */
function inputOf(calls: unknown, id: string): string {
  const list = Array.isArray(calls) ? (calls as readonly CallFields[]) : []
  return list.find((call) => call.id === id)?.function?.arguments ?? ''
}

interface CallFields {
  readonly id?: unknown
  readonly function?: { readonly arguments?: string }
}
