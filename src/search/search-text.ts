import type { Message } from '../contract/message.ts'
import { messageText } from '../domain/title.ts'

/**
 * What of a message can be found: the text a person reads. Reasoning, tool calls and attachments are none; a UI message without text in
 * `content` gives its `parts`. Composed, so that a text typed on a Mac is found by one typed elsewhere.
 */
export function searchText(message: Message | undefined): string {
  return (messageText(message?.content) || messageText(message?.['parts'])).normalize('NFC')
}
