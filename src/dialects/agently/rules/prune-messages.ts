import type { Message } from '../../../contract/message.ts'
import type { MemoRules } from './memo-settings.ts'
import { messageSize } from './message-size.ts'

/**
 * What stays of a current view: the newest messages, at most as many as may stay, and of those as many as fit into the
 * size, at least one. With 0 messages none stays.
 *
 * Source: AgentlyMemoSession, as its document says: the size counts whatever the number says (its code forgets it for
 * small views)
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
