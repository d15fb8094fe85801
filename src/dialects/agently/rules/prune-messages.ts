import type { Message } from '../../../contract/message.ts'
import type { MemoRules } from './memo-settings.ts'
import { messageSize } from './message-size.ts'

/**
 * The messages of a current view that stay: the newest ones, up to the limit of messages, and of those as many as fit
 * into the size, but at least one. With a limit of 0 messages none stays.
 *
 * Source: AgentlyMemoSession, as documented there: the size applies in any case (its code ignores it for views within
 * the number)
 */
export function pruneMessages<M extends Message>(
  current: readonly M[],
  { chars, messages }: Pick<MemoRules, 'chars' | 'messages'>,
): readonly M[] {
  const kept =
    messages === null || messages >= current.length ? current : messages === 0 ? [] : current.slice(-messages)
  if (chars <= 0) return kept
  let size = 0
  let from = kept.length
  while (from > 0) {
    size += messageSize(kept[from - 1]!)
    if (size > chars && from < kept.length) break
    from -= 1
  }
  return kept.slice(from)
}
