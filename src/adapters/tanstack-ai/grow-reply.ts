import type { MessageStream } from '../../client/message-stream-types.ts'
import { encodeValues } from '../encode-values.ts'
import { type Fields, growingFields, pieceType, type ReplyPiece, toStoredPart } from './thread-message.ts'
import type { ThreadMessage, ThreadPart } from './thread-types.ts'

/**
 * Creates a function that takes each version of a reply, and journals what it has more than the one before: of a part
 * that grew, only what was added. Text and reasoning are journalled as such, so that other readers of a draft have them.
 *
 * A reply that was cut off has all of its reasoning in one field. So a structured piece says how much reasoning came
 * before it, where that has grown.
 */
export function growReply(
  stream: Pick<MessageStream<object>, 'write' | 'writeReasoning' | 'writePart'>,
): (message: ThreadMessage) => void {
  let head: Fields = {}
  let last: readonly ThreadPart[] = []
  let reasoning = 0
  let told = 0

  function writePiece(piece: Omit<ReplyPiece, 'type' | 'before'>): void {
    const before = reasoning > told ? { before: reasoning } : {}
    stream.writePart({ type: pieceType, ...piece, ...before } as Parameters<typeof stream.writePart>[0])
    told = reasoning
  }
  function writeMore(part: ThreadPart, at: number, more: string): void {
    if (more === '') return
    if (part.type === 'text') stream.write(more)
    else if (part.type === 'thinking') {
      reasoning += more.length
      stream.writeReasoning(more)
    } else writePiece({ at, more })
  }
  function growPart(part: ThreadPart, at: number, isLast: boolean): void {
    const old = last[at]
    const field = growingFields[part.type] ?? ''
    const whole = fieldsOf(part)[field]
    const before = old === undefined ? undefined : fieldsOf(old)[field]
    const isText = part.type === 'text' || part.type === 'thinking'
    if (isLast && typeof whole === 'string') {
      if (typeof before === 'string' && whole.startsWith(before) && isSame(old!, part, field))
        return writeMore(part, at, whole.slice(before.length))
      if (old === undefined && isText) {
        writePiece({ at, part: toStoredPart({ ...part, [field]: '' }) as Fields })
        return writeMore(part, at, whole)
      }
    }
    writePiece({ at, part: toStoredPart(part) as Fields })
  }

  return ({ parts, ...rest }) => {
    if (!isSame(head, rest)) writePiece({ head: encodeValues(rest) as Fields })
    head = rest
    if (parts.length < last.length) writePiece({ length: parts.length })
    for (const [at, part] of parts.entries()) if (part !== last[at]) growPart(part, at, at === parts.length - 1)
    last = parts
  }
}

const fieldsOf = (part: ThreadPart): Fields => part as ThreadPart & Fields

/** Whether all fields are the same, but one that has grown and what the client makes of it. */
function isSame(one: object, other: object, grown?: string): boolean {
  const [a, b] = [Object.entries(one), new Map(Object.entries(other))]
  return (
    a.length === b.size &&
    a.every(([key, value]) => key === grown || key === 'partial' || (b.has(key) && b.get(key) === value))
  )
}
