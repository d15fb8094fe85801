import type { EntryView } from '../../contract/entry.ts'
import type { Message, MessagePart } from '../../contract/message.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'
import type { ThreadMessage, ThreadPart } from './thread-types.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The type of the parts that a reply is journalled in. */
export const pieceType = 'tanstack-ai'

/** One step of a reply that grows, as it is journalled. */
export interface ReplyPiece extends Partial<Record<'part' | 'head', Fields>> {
  readonly type: typeof pieceType
  /** The place of the part that it is about. */
  readonly at?: number
  /** What its growing field has more. */
  readonly more?: string
  /** How many parts there are. */
  readonly length?: number
  /** Characters of reasoning that came before. */
  readonly before?: number
}

/** The field of a part that grows while a reply is streamed, by the type of the part. */
export const growingFields: Readonly<Record<string, string | undefined>> = {
  text: 'content',
  thinking: 'content',
  'tool-call': 'arguments',
  'structured-output': 'raw',
}

/** A message as it is stored. Its texts are in the field in which titles, search and token counts look for them. */
export function toStored({ parts, ...rest }: ThreadMessage): object {
  return { ...(encodeValues(rest) as object), parts: parts.map(toStoredPart) }
}

export function toStoredPart(part: ThreadPart): object {
  const { content, ...rest } = encodeValues(part) as Fields
  const isText = part.type === 'text' && typeof content === 'string' && !('text' in rest)
  return isText ? { ...rest, text: content } : { ...rest, ...(content === undefined ? {} : { content }) }
}

function fromStoredPart(stored: unknown): Fields {
  const { text, ...rest } = decodeValues(stored) as Fields
  const isText = rest['type'] === 'text' && typeof text === 'string' && !('content' in rest)
  return isText ? { ...rest, content: text } : { ...rest, ...(text === undefined ? {} : { text }) }
}

/**
 * The message that is stored in an entry, with what was streamed of it when it was cut off. Takes messages of other
 * hosts, too: of these it has text and reasoning.
 *
 * @returns `undefined` when it is no message of a system, a user or an assistant
 */
export function fromStored(entry: EntryView<object>): ThreadMessage | undefined {
  const message = entry.message as Message | undefined
  if (message === undefined || !roles.has(message.role)) return undefined
  const id = entry.mid ?? entry.id
  const { content: _, reasoning_content: __, interrupted: ___, stopped: ____, parts, ...rest } = message
  if (Array.isArray(parts)) {
    const fields = decodeValues(rest) as ThreadMessage
    return { ...fields, id, parts: (parts as readonly unknown[]).map(fromStoredPart) as unknown as ThreadPart[] }
  }
  return { ...(decodeValues(rest) as ThreadMessage), ...readPieces(message), id }
}

const roles: ReadonlySet<string> = new Set(['system', 'user', 'assistant'])

/** What the pieces of a reply that was cut off make together. */
function readPieces({ content, reasoning_content }: Message): Pick<ThreadMessage, 'parts'> {
  const items: readonly MessagePart[] = typeof content === 'string' ? [content] : (content ?? [])
  const reasoning = typeof reasoning_content === 'string' ? reasoning_content : ''
  const parts: Record<string, unknown>[] = []
  let head: Fields = {}
  let read = 0

  /** Adds to the last part, or begins one. */
  function grow(type: 'text' | 'thinking', more: string): void {
    const last = parts.at(-1)
    if (last?.['type'] === type) last['content'] = `${String(last['content'])}${more}`
    else if (more !== '') parts.push({ type, content: more })
  }
  function growReasoning(to: number): void {
    if (to > read) grow('thinking', reasoning.slice(read, to))
    read = Math.max(read, to)
  }
  function apply(piece: ReplyPiece): void {
    growReasoning(piece.before ?? 0)
    if (piece.head !== undefined) head = decodeValues(piece.head) as Fields
    if (piece.length !== undefined) parts.length = Math.min(parts.length, piece.length)
    const { at = 0, part, more } = piece
    if (part !== undefined) parts[Math.min(at, parts.length)] = { ...fromStoredPart(part) }
    const grown = parts[at]
    const field = growingFields[String(grown?.['type'])]
    if (more !== undefined && grown !== undefined && field !== undefined)
      grown[field] = `${String(grown[field] ?? '')}${more}`
  }

  const isPiece = (item: MessagePart) => typeof item === 'object' && item.type === pieceType
  if (!items.some(isPiece)) growReasoning(reasoning.length)
  for (const item of items) {
    if (isPiece(item)) apply(item as unknown as ReplyPiece)
    else {
      const text = typeof item === 'string' ? item : item.type === 'text' ? item['text'] : undefined
      if (typeof text === 'string') grow('text', text)
    }
  }
  growReasoning(reasoning.length)
  return { ...head, parts: parts as unknown as ThreadPart[] }
}
