import type { SessionMeta } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

/**
 * Removes a session that an aborted import created, or deletes one again that it restored. A session to which others
 * have written in the meantime stays.
 *
 * @param before - its metadata before the import
 * @param entries - the number of entries that the import has seen in the session
 */
export async function takeBack(
  store: Pick<SessionStore, 'delete' | 'purge' | 'usage'>,
  key: string,
  before: SessionMeta | undefined,
  entries: number,
): Promise<void> {
  try {
    if (before?.deletedAt !== undefined) await store.delete(key)
    if (before === undefined && entries > 0 && (await store.usage(key)).entries <= entries) await store.purge(key)
  } catch {
    // The store is closed. The error that led here reports that.
  }
}
