import type { SessionStore } from '../contract/store/session-store.ts'
import { pushAll } from '../domain/push-all.ts'

/** The maximum number of sessions on a page of the list. */
const pageSize = 1000

/**
 * The keys of the sessions to export: those requested by key or alias, each once, or all that are not deleted, newest
 * first.
 *
 * @param asked - absent: all
 */
export async function exportedKeys(
  store: Pick<SessionStore, 'listSessions' | 'resolveSessionKey'>,
  asked: readonly string[] | undefined,
): Promise<readonly string[]> {
  if (asked !== undefined) return [...new Set(await Promise.all(asked.map((key) => store.resolveSessionKey(key))))]
  const keys: string[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await store.listSessions({
      order: 'created',
      limit: pageSize,
      deleted: false,
      ...(cursor === undefined ? {} : { cursor }),
    })
    pushAll(
      keys,
      page.sessions.map(({ key }) => key),
    )
    cursor = page.next
  }
  return keys
}
