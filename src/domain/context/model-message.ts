import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import { isTransientThought } from '../transient.ts'
import { hasSubstance } from './has-substance.ts'
import { withoutDisplayRecords } from './without-display-records.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * What an entry says to a model: its message, or, of a `branch_summary` and a `custom_message`, a user message. Messages of pi's own roles
 * become user messages too: `bashExecution` (none where it is marked `excludeFromContext`) and `custom`. What only serves display is taken
 * out. Other entries say nothing, and neither does an assistant's message without substance: the empty draft of a reply that never came,
 * or a thought that led to nothing. Providers refuse such a message.
 *
 * Source: pi-coding-agent, `convertToLlm` and its texts; PicoClaw, “Transient thoughts”
 */
export function modelMessage({ type, message, data }: Pick<EntryView, 'type' | 'message' | 'data'>): Message | undefined {
  if (message !== undefined) return ofMessage(message)
  const { summary, content } = (data ?? {}) as Fields
  if (type === 'custom_message') return userMessage(content)
  return type === 'branch_summary' && typeof summary === 'string' && summary.trim() !== '' ? userMessage(branchText(summary)) : undefined
}

function ofMessage(message: Message): Message | undefined {
  if (message.role === 'bashExecution') return message['excludeFromContext'] === true ? undefined : userMessage(bashText(message))
  if (message.role === 'custom') return userMessage(message.content)
  return message.role === 'assistant' && (!hasSubstance(message) || isTransientThought(message)) ? undefined : withoutDisplayRecords(message)
}

function userMessage(content: unknown): Message | undefined {
  const isFilled = (typeof content === 'string' || Array.isArray(content)) && content.length > 0
  return isFilled ? { role: 'user', content: content as NonNullable<Message['content']> } : undefined
}

const branchText = (summary: string): string => `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}</summary>`

function bashText({ command, output, cancelled, exitCode, truncated, fullOutputPath }: Fields): string {
  const text = `Ran \`${textOf(command)}\`\n${textOf(output) === '' ? '(no output)' : `\`\`\`\n${textOf(output)}\n\`\`\``}`
  const end = cancelled === true ? '\n\n(command cancelled)' : typeof exitCode === 'number' && exitCode !== 0 ? `\n\nCommand exited with code ${exitCode}` : ''
  return text + end + (truncated === true && typeof fullOutputPath === 'string' ? `\n\n[Output truncated. Full output: ${fullOutputPath}]` : '')
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
