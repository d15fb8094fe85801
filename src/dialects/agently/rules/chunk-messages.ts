import type { Message } from '../../../contract/message.ts'
import { messageSize } from './message-size.ts'

/**
 * Splits a history into parts of at most `chars`, in order, for one memo update each. A larger message is a part of its
 * own; with 0 or less the whole history is one part. An empty history has no parts.
 *
 * Source: AgentlyMemoSession, deep resize
 */
export function chunkMessages<M extends Message>(history: readonly M[], chars: number): readonly (readonly M[])[] {
  if (chars <= 0) return history.length === 0 ? [] : [history]
  const chunks: M[][] = []
  let room = 0
  for (const message of history) {
    const size = messageSize(message)
    if (chunks.length === 0 || size > room) {
      chunks.push([])
      room = chars
    }
    chunks.at(-1)!.push(message)
    room -= size
  }
  return chunks
}
