import type { SessionClient } from '../../client/client-contract.ts'
import type { Message } from '../../contract/message.ts'
import type { SearchFilter, SearchHit } from '../../contract/search.ts'
import { type ClientSource, clientView, type ViewStatus } from './client-view.ts'
import { untilOpen } from './until-open.ts'
import type { View } from './view.ts'

/** The answer to a search. */
export interface SearchState extends ViewStatus {
  /** Best first. While it is `loading`, those of the search before. */
  readonly hits: readonly SearchHit[]
}

type SearchSource<M extends object> = Pick<SessionClient<M>, 'search' | 'subscribe'>

/** What answers where there is nothing to look for. */
const nothing: SearchSource<never> = { search: async () => [], subscribe: () => () => undefined }

/** In which store a view searches. */
const sources = new WeakMap<View<SearchState>, ClientSource<never>>()

/**
 * Searches once, and again only after a search that failed. A text without words has no hits and asks nobody.
 *
 * @param before - the search that it replaces, whose hits are shown until there are new ones, if they are of this store
 */
export function searchView<M extends object = Message>(
  source: ClientSource<M>,
  text: string,
  filter?: SearchFilter,
  before?: View<SearchState>,
): View<SearchState> {
  const isEmpty = text.trim() === ''
  const isSame = before !== undefined && sources.get(before) === source
  const hits = isSame && !isEmpty ? before.getSnapshot().hits : []
  const view = clientView<SearchSource<M>, SearchState>(
    isEmpty ? nothing : source,
    { hits },
    (client, { ready, fail }) => {
      const ending = new AbortController()
      const search = async (): Promise<() => void> => {
        ready({ hits: await client.search(text, { ...filter, signal: ending.signal }) })
        return () => undefined
      }
      const end = untilOpen(client, search, fail)
      return () => {
        ending.abort()
        return end()
      }
    },
  )
  sources.set(view, source as ClientSource<never>)
  return view
}
