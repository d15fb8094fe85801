import type { StorageBackend } from '../../../src/contract/backend.ts'
import type { SearchFilter, SearchHit } from '../../../src/contract/search.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSearchService, type SearchService } from '../../../src/search/create-search-service.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

export interface SearchedStore {
  readonly store: SessionStore
  readonly backend: StorageBackend
  /** Hears every change of the store, and nothing else. */
  readonly service: SearchService
  search(query: string, filter?: SearchFilter): Promise<readonly SearchHit[]>
  /** What was found, as texts of the snippets. */
  texts(query: string, filter?: SearchFilter): Promise<readonly string[]>
}

/** A store in memory with a search over it. */
export function openSearch(backend = createMemoryBackend()): SearchedStore {
  const service = createSearchService({ source: backend })
  const store = createSessionStore(backend, { onChange: service.receive })
  const search: SearchedStore['search'] = (query, filter = {}) => service.search({ query, filter, known: [] })
  return {
    store,
    backend,
    service,
    search,
    texts: async (query, filter) => (await search(query, filter)).map(({ snippet }) => snippet.text),
  }
}
