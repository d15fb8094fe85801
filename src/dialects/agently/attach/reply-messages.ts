import type { Message } from '../../../contract/message.ts'
import type { RecordPaths } from './attach-types.ts'
import { pickText } from './pick-text.ts'

/**
 * The messages to store for a reply: the picked values, otherwise a message or a list of messages as it is, a text as
 * the assistant's message, or the JSON text of any other value. An empty reply gives none.
 */
export function replyMessages(reply: unknown, output: RecordPaths): readonly Message[] {
  const picked = output.paths === undefined ? undefined : pickText(parsed(reply), output)
  if (picked !== undefined) return [{ role: 'assistant', content: picked }]
  if (reply === undefined || reply === null || reply === '') return []
  if (typeof reply === 'string') return [{ role: 'assistant', content: reply }]
  const messages: readonly unknown[] = Array.isArray(reply) ? (reply as readonly unknown[]) : [reply]
  return messages.every(isMessage) ? messages : [{ role: 'assistant', content: JSON.stringify(reply) }]
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && typeof (value as { role?: unknown }).role === 'string'

function parsed(reply: unknown): unknown {
  if (typeof reply !== 'string') return reply
  try {
    return JSON.parse(reply) as unknown
  } catch {
    return reply
  }
}
