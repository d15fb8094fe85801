import type { Message } from '../contract/message.ts'
import { messageText } from '../domain/title.ts'

/**
 * The searchable text of a message: what a person reads. Reasoning, tool calls and attachments are left out. A UI
 * message without text in `content` contributes its `parts`. The text is composed (NFC), so that text typed on a Mac
 * matches text typed elsewhere.
 */
export function searchText(message: Message | undefined): string {
  return (messageText(message?.content) || messageText(message?.['parts'])).normalize('NFC')
}
