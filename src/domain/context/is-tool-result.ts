import type { Message } from '../../contract/message.ts'
import { callIds } from '../tool-calls.ts'
import { toolPart } from '../tool-part.ts'

/** Whether a message answers calls of another one: by its role, or with a part that is a result, whatever its id. */
export function isToolResult(message: Message): boolean {
  if (message.role === 'tool' || message.role === 'toolResult') return true
  const { content, parts } = message
  const results = [content, parts].flatMap((list) => (Array.isArray(list) ? list.map(toolPart) : [])).filter((part) => part?.kind === 'result')
  if (results.length === 0) return false
  // What a provider ran itself is answered in the message that calls.
  const own: readonly unknown[] = callIds(message)
  return results.some((part) => !own.includes(part!.id))
}
