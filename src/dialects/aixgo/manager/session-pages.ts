import type { SessionListing } from '../../../contract/meta.ts'
import type { ListQuery } from '../../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'

/**
 * The pages of a list of sessions. `fresh` applies only to the first page, because a cursor continues the list that it
 * comes from.
 */
export async function* sessionPages(store: SessionStore, query: ListQuery): AsyncGenerator<readonly SessionListing[]> {
  for (
    let page = await store.listSessions(query);
    ;
    page = await store.listSessions({ ...query, fresh: false, cursor: page.next })
  ) {
    yield page.sessions
    if (page.next === undefined) return
  }
}
