import type { Message } from '../../../contract/message.ts'
import { messageSize } from './message-size.ts'

/**
 * Splits a history into parts of at most `chars`, in order, for one memo update each. A larger message is a part of its
 * own; with 0 or less the whole history is one part. An empty history has no parts.
 *
 * Source: AgentlyMemoSession, deep resize
 */
export function* chunkMessages<M extends Message>(
  history: readonly M[],
  chars: number,
): Generator<readonly M[], void, undefined> {
  let chunk: M[] = []
  let room = chars
  for (const message of history) {
    const size = chars <= 0 ? 0 : messageSize(message)
    if (chunk.length > 0 && size > Math.max(room, 0)) {
      yield chunk
      chunk = []
      room = chars
    }
    chunk.push(message)
    room -= size
  }
  if (chunk.length > 0) yield chunk
}
