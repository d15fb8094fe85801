import type { Message } from '../../../contract/message.ts'

const imageCharacters = 4800

type Fields = Readonly<Record<string, unknown>>

/**
 * Estimates the tokens of one message as pi does: a quarter of its UTF-16 code units, rounded up. It counts texts,
 * thoughts, names and arguments of calls, commands and their output, and summaries; an image in a result counts as
 * 4,800 characters, one of a user as none. Roles that pi does not have (`system`, `tool`) count like a user's, and
 * `tool_calls`, which pi does not have either, count by name and arguments.
 *
 * Source: pi-coding-agent, `estimateTokens` (where other roles cost nothing)
 */
export function estimatePiTokens(message: Message): number {
  return Math.ceil((charactersOf(message) + listedCharacters(message['tool_calls'])) / 4)
}

function charactersOf({ role, content, ...fields }: Message): number {
  switch (role) {
    case 'assistant':
      return sum(content, assistantCharacters)
    case 'custom':
    case 'toolResult':
      return sum(content, (part) =>
        part['type'] === 'image' ? imageCharacters : part['type'] === 'text' ? length(part['text']) : 0,
      )
    case 'bashExecution':
      return length(fields['command']) + length(fields['output'])
    case 'branchSummary':
    case 'compactionSummary':
      return length(fields['summary'])
    default:
      return sum(content, (part) => (part['type'] === 'text' ? length(part['text']) : 0))
  }
}

/** Calls as OpenAI lists them; PicoClaw's have name and arguments next to their `function`, or instead of it. */
function listedCharacters(calls: unknown): number {
  return sum(Array.isArray(calls) ? calls : '', ({ function: target, ...call }) => {
    const { name = call['name'], arguments: args = call['arguments'] } = (target ?? {}) as Fields
    return length(name) + (typeof args === 'string' ? args.length : length(JSON.stringify(args)))
  })
}

function assistantCharacters({ type, text, thinking, name, arguments: args }: Fields): number {
  if (type === 'text') return length(text)
  if (type === 'thinking') return length(thinking)
  return type === 'toolCall' ? length(name) + length(JSON.stringify(args)) : 0
}

/** A string counts in full, a list part by part. */
function sum(content: unknown, of: (part: Fields) => number): number {
  if (!Array.isArray(content)) return length(content)
  return content.reduce(
    (total: number, part: unknown) => total + (typeof part === 'string' ? part.length : of((part ?? {}) as Fields)),
    0,
  )
}

const length = (value: unknown): number => (typeof value === 'string' ? value.length : 0)
