import type { SessionStore } from '../contract/store/session-store.ts'

/** Messages of a session for which no worker is started: that takes longer than the work itself. */
const mostHere = 2000

/** Whether work on the whole log of a session is too much for a page. */
export async function isLong(store: Pick<SessionStore, 'getMeta'>, key: string): Promise<boolean> {
  return ((await store.getMeta(key))?.messageCount ?? 0) > mostHere
}
