import type { EntryView } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import { hasSubstance } from './has-substance.ts'
import { piText } from './pi-text.ts'
import { withoutDisplayRecords } from './without-display-records.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * The message of an entry for a model: its own message, or a user message for a `branch_summary` and a
 * `custom_message`. Messages of pi's own roles become user messages too: `bashExecution` (none when it is marked
 * `excludeFromContext`), `custom` and its summaries. Parts that only serve display are taken out. Other entries have no
 * message, and neither has an assistant's message without substance: a reply that never came, or ended before it said
 * anything. Providers refuse such a message.
 *
 * Source: pi-coding-agent, texts of `convertToLlm`
 */
export function modelMessage({
  type,
  message,
  data,
}: Pick<EntryView, 'type' | 'message' | 'data'>): Message | undefined {
  if (message !== undefined) return ofMessage(message)
  const { summary, content } = (data ?? {}) as Fields
  if (type === 'custom_message') return userMessage(content)
  return type === 'branch_summary' && typeof summary === 'string' && summary.trim() !== ''
    ? userMessage(piText.branch(summary))
    : undefined
}

function ofMessage(message: Message): Message | undefined {
  if (message.role === 'bashExecution')
    return message['excludeFromContext'] === true ? undefined : userMessage(piText.command(message))
  if (message.role === 'custom') return userMessage(message.content)
  if (message.role === 'branchSummary' || message.role === 'compactionSummary') return summaryMessage(message)
  return message.role === 'assistant' && !hasSubstance(message) ? undefined : withoutDisplayRecords(message)
}

function summaryMessage({ role, summary }: Message): Message | undefined {
  if (typeof summary !== 'string' || summary.trim() === '') return undefined
  return userMessage(role === 'branchSummary' ? piText.branch(summary) : piText.compaction(summary))
}

function userMessage(content: unknown): Message | undefined {
  const isFilled = (typeof content === 'string' || Array.isArray(content)) && content.length > 0
  return isFilled ? { role: 'user', content: content as NonNullable<Message['content']> } : undefined
}
