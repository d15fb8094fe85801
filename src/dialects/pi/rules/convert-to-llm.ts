import type { Message } from '../../../contract/message.ts'
import { piText } from '../../../domain/context/pi-text.ts'

/**
 * Converts the messages of pi's context to those that pi sends to a model: messages of `user`, `assistant` and
 * `toolResult` stay as they are; commands, messages of extensions and summaries become messages of the user with one
 * text part. Commands marked `excludeFromContext` are left out, and so is every role that is not pi's, such as OpenAI's
 * `system` and `tool`: for messages of any shape there is {@link modelMessage}.
 *
 * Source: pi-coding-agent, `convertToLlm`
 */
export function convertToLlm(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message) => {
    const { role, content, summary, excludeFromContext: isExcluded } = message
    switch (role) {
      case 'user':
      case 'assistant':
      case 'toolResult':
        return [message]
      case 'bashExecution':
        return isExcluded === true ? [] : [said(message, piText.command(message))]
      case 'custom':
        return [said(message, content)]
      case 'branchSummary':
        return [said(message, piText.branch(String(summary)))]
      case 'compactionSummary':
        return [said(message, piText.compaction(String(summary)))]
      default:
        return []
    }
  })
}

function said({ timestamp }: Message, content: Message['content']): Message {
  return {
    role: 'user',
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []),
    ...(timestamp === undefined ? {} : { timestamp }),
  }
}
