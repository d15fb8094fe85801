import type { Message } from '../../contract/message.ts'

const imageCharacters = 4800

type Fields = Readonly<Record<string, unknown>>

/**
 * Estimates the tokens of one message as pi does: a quarter of its UTF-16 code units, rounded up. Counts texts, thoughts, names and
 * arguments of calls, commands and what they put out, and summaries; an image of a result counts as 4,800 characters, one of a user as
 * none. Other roles cost nothing.
 *
 * Source: pi-coding-agent, `estimateTokens`
 */
export function estimatePiTokens(message: Message): number {
  return Math.ceil(charactersOf(message) / 4)
}

function charactersOf({ role, content, ...fields }: Message): number {
  switch (role) {
    case 'user':
      return sum(content, (part) => (part['type'] === 'text' ? length(part['text']) : 0))
    case 'assistant':
      return sum(content, assistantCharacters)
    case 'custom':
    case 'toolResult':
      return sum(content, (part) => (part['type'] === 'image' ? imageCharacters : part['type'] === 'text' ? length(part['text']) : 0))
    case 'bashExecution':
      return length(fields['command']) + length(fields['output'])
    case 'branchSummary':
    case 'compactionSummary':
      return length(fields['summary'])
    default:
      return 0
  }
}

function assistantCharacters({ type, text, thinking, name, arguments: args }: Fields): number {
  if (type === 'text') return length(text)
  if (type === 'thinking') return length(thinking)
  return type === 'toolCall' ? length(name) + length(JSON.stringify(args)) : 0
}

/** A text counts in full, a list part by part. */
function sum(content: unknown, of: (part: Fields) => number): number {
  if (!Array.isArray(content)) return length(content)
  return content.reduce((total: number, part: unknown) => total + (typeof part === 'string' ? part.length : of((part ?? {}) as Fields)), 0)
}

const length = (value: unknown): number => (typeof value === 'string' ? value.length : 0)
