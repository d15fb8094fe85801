import type { SessionStore } from '../contract/store.ts'

/**
 * Forgets a conversation: no history, no summary. A session that is not there is not made.
 *
 * Source: PicoClaw, `ContextManager.Clear`
 */
export async function clearConversation(store: SessionStore, key: string): Promise<void> {
  const [meta, { hidden }] = await Promise.all([store.getMeta(key), store.read(key, { view: 'context', last: 1 })])
  if (meta === undefined || meta.deletedAt !== undefined) return
  // What a compaction put in front is no history of the store's, so that setting that leaves it.
  if ((hidden?.messages ?? []).length > 0) await store.setCompaction(key, { summary: '', keepLast: 0 })
  await Promise.all([store.setHistory(key, []), store.setSummary(key, '')])
}
