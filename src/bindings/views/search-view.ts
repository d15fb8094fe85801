import type { Message } from '../../contract/message.ts'
import type { SearchFilter, SearchHit } from '../../contract/search.ts'
import { type ClientSource, clientView, type ViewStatus } from './client-view.ts'
import type { View } from './view.ts'

/** The answer to a search. */
export interface SearchState extends ViewStatus {
  /** Best first. While it is `loading`, those of the search before. */
  readonly hits: readonly SearchHit[]
}

/**
 * Searches once. A text without words has no hits and asks nobody.
 *
 * @param before - the search that it replaces, whose hits are shown until there are new ones
 */
export function searchView<M extends object = Message>(
  source: ClientSource<M>,
  text: string,
  filter?: SearchFilter,
  before?: View<SearchState>,
): View<SearchState> {
  const isEmpty = text.trim() === ''
  const hits = (isEmpty ? undefined : before?.getSnapshot().hits) ?? []
  return clientView<Pick<NonNullable<Awaited<ClientSource<M>>>, 'search'>, SearchState>(
    isEmpty ? { search: async () => [] } : source,
    { hits },
    (client, { ready, fail }) => {
      const ending = new AbortController()
      client.search(text, { ...filter, signal: ending.signal }).then((found) => ready({ hits: found }), fail)
      return () => ending.abort()
    },
  )
}
