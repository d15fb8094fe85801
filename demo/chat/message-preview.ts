import type { Message } from '../../src/index.ts'
import { messageParts, messageText } from './message-parts.ts'

/** A message in one line: its text without the commonest marks of Markdown, or what else it is made of. */
export function messagePreview(message: Message): string {
  const text = messageText(message)
    .slice(0, 400)
    .replace(/\*\*|`+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (text !== '') return text
  const [part] = messageParts(message)
  if (part?.kind === 'tool-call') return `Called ${part.name || 'a tool'}`
  if (part?.kind === 'tool-result') return `Result of ${part.name}`
  if (part?.kind === 'reasoning') return 'Reasoning'
  return part?.kind === 'attachment' ? part.label : 'No text'
}

/** Who says a message, for people. */
export const speakerOf = (role: string): string => speakers[role] ?? role

const speakers: Readonly<Record<string, string>> = {
  user: 'You',
  assistant: 'Reply',
  tool: 'Tool',
  toolResult: 'Tool',
  function: 'Tool',
  bashExecution: 'Shell',
  system: 'System',
  developer: 'System',
}
