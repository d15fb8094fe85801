import type { SessionStore } from '../../contract/store/session-store.ts'
import { replaceLine } from './replace-line.ts'

/**
 * Forgets a conversation: no history, no summary. People do not see it either; the log keeps it. A session that is not
 * there is not made.
 *
 * Source: PicoClaw, `ContextManager.Clear`
 */
export async function clearConversation(store: SessionStore, key: string): Promise<void> {
  const meta = await store.getMeta(key)
  if (meta === undefined || meta.deletedAt !== undefined) return
  await replaceLine(store, key, [])
  // Later than a summary that another device made meanwhile.
  await store.setSummary(key, '')
}
