import type { SessionMeta } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

/**
 * Leaves a session that was not there before an import as it was: not there. Unless somebody has written to it
 * meanwhile.
 *
 * @param before - its metadata before the import
 * @param entries - how many the import has seen in the session
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
    // The store is gone; the error that led here says so.
  }
}
