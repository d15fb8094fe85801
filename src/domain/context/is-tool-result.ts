import type { Message } from '../../contract/message.ts'
import { callIds } from '../tool-calls.ts'
import { toolPart } from '../tool-part.ts'

/** Whether a message answers calls of another one: by its role, or with a part that is a result, whatever its id. */
export function isToolResult(message: Message): boolean {
  if (message.role === 'tool' || message.role === 'toolResult') return true
  const { content, parts } = message
  if (!Array.isArray(content) && !Array.isArray(parts)) return false
  const results = [content, parts]
    .flatMap((list) => (Array.isArray(list) ? list.map(toolPart) : []))
    .filter((part) => part?.kind === 'result')
  if (results.length === 0) return false
  // The calls that a provider ran itself are answered in the calling message.
  const own: readonly unknown[] = callIds(message)
  return results.some((part) => !own.includes(part!.id))
}
