import type { SessionStore } from '../../contract/store/session-store.ts'
import { replaceLine } from './replace-line.ts'

/**
 * Clears a conversation: its history and its summary. People do not see it any more either, but the log keeps it. A
 * session that does not exist is not created.
 *
 * Source: PicoClaw, `ContextManager.Clear`
 */
export async function clearConversation(store: SessionStore, key: string): Promise<void> {
  const meta = await store.getMeta(key)
  if (meta === undefined || meta.deletedAt !== undefined) return
  await replaceLine(store, key, [])
  // Written last, so that it also replaces a summary that another device made meanwhile.
  await store.setSummary(key, '')
}
