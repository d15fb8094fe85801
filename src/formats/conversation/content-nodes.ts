import { isSessionError } from '../../contract/errors.ts'
import { canonicalJson } from '../../domain/canonical-json.ts'
import { hash53 } from '../../domain/hash53.ts'
import { normaliseJson } from '../../domain/normalise.ts'
import { isObject } from '../is-plain-object.ts'
import { timeOf } from '../time.ts'
import type { ConversationNode } from './conversation.ts'

/**
 * Makes a line from messages without ids. Each gets an id from its content and all messages before it, so that a list
 * that has grown has the same ids up to there, and a list that was changed in the middle or at its beginning forks.
 */
export function contentNodes(messages: readonly unknown[]): readonly ConversationNode[] {
  let before: string | null = null
  return messages.map((message) => {
    const parentId: string | null = before
    const id: string = (before = contentHash(`${parentId ?? ''} ${contentOf(message)}`))
    const at = isObject(message)
      ? (timeOf(message['timestamp']) ?? timeOf(message['created_at']) ?? timeOf(message['createdAt']) ?? 0)
      : 0
    return { id, parentId, type: 'message', at, data: { message }, ...(parentId === null ? { isBeginning: true } : {}) }
  })
}

/** The text that two equal messages have in common. */
export function contentOf(message: unknown): string {
  try {
    return canonicalJson(normaliseJson(message ?? null).value)
  } catch (error) {
    if (!isSessionError(error)) throw error
    // A message that can't be stored is reported later. It still needs an id for its place.
    return `unfit ${error.message}`
  }
}

/** Two hashes, because one is too short to distinguish the messages of large imports. */
export function contentHash(text: string): string {
  return `${hash53(text).toString(36)}${hash53(`${text} `).toString(36)}`
}
