import type { EntryView } from '../contract/entry.ts'
import type { EntryPage, ReadOptions } from '../contract/store/session-log.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

/** The maximum number of entries per read. */
const pageSize = 512

/**
 * Reads a view of a line from its start.
 *
 * @param onPage - called with each page
 */
export async function* readView(
  store: Pick<SessionStore, 'read'>,
  key: string,
  options: Pick<ReadOptions, 'branch' | 'view'>,
  onPage?: (page: EntryPage) => void,
): AsyncGenerator<EntryView, void, undefined> {
  for (let after = '', more = true; more; ) {
    const page = await store.read(key, { ...options, after, limit: pageSize })
    onPage?.(page)
    yield* page.entries
    after = page.entries.at(-1)?.order ?? after
    more = page.more && page.entries.length > 0
  }
}
