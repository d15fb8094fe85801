import type { Message } from '../../contract/message.ts'
import type { SearchFilter, SearchHit, SearchProgress } from '../../contract/search.ts'
import type { ClientSource } from './client-source.ts'
import { createView, type View } from './view.ts'
import { failed, LOADING, READY, type ViewStatus } from './view-status.ts'

/** The answer to a search. */
export interface SearchState extends ViewStatus {
  /** Best first. While it is `loading`, those of the search before. */
  readonly hits: readonly SearchHit[]
  /** How far the index is when a search has to wait for it. */
  readonly progress: SearchProgress | undefined
}

/**
 * Searches once. A text without words has no hits and asks nobody.
 *
 * @param before - the search that it replaces, whose hits are shown until there are new ones
 */
export function searchView<M extends object = Message>(
  source: ClientSource<M>,
  text: string,
  filter: SearchFilter = {},
  before?: View<SearchState>,
): View<SearchState> {
  if (text.trim() === '') return createView({ ...READY, hits: [], progress: undefined }, () => () => undefined)
  const initial: SearchState = { ...LOADING, hits: before?.getSnapshot().hits ?? [], progress: undefined }
  return createView(initial, (show) => {
    if (source === undefined) return () => undefined
    const abort = new AbortController()
    Promise.resolve(source)
      .then((client) =>
        client.search(text, { ...filter, signal: abort.signal, onProgress: (progress) => show({ progress }) }),
      )
      .then(
        (hits) => show({ ...READY, hits, progress: undefined }),
        (error: unknown) => show({ ...failed(error), progress: undefined }),
      )
    return () => abort.abort()
  })
}
