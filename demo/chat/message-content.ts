import type { Message } from '../../src/index.ts'
import type { AttachedFile } from '../attachments/attached-file.ts'

/** A message of the user: plain text, or text with the files that go with it. */
export function userMessage(text: string, files: readonly AttachedFile[]): Message {
  if (files.length === 0) return { role: 'user', content: text }
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...files] }
}

/** A message with other words, and what else was in it. */
export function reworded(message: Message | undefined, text: string): Message {
  const { content } = message ?? {}
  const others = Array.isArray(content) ? content.filter((part) => !isText(part)) : []
  return { role: 'user', content: others.length === 0 ? text : [{ type: 'text', text }, ...others] }
}

const isText = (part: unknown): boolean =>
  typeof part === 'string' || (typeof part === 'object' && part !== null && 'type' in part && part.type === 'text')
