import { createSearchService } from './create-search-service.ts'
import { createSharedSearch, type SharedSearch } from './create-shared-search.ts'
import { openIndexDatabase } from './open-index-database.ts'
import type { SearchSource } from './search-source.ts'

export interface KeptSearchOptions {
  /** Name of the database that is searched. */
  readonly name: string
  readonly source: SearchSource
  /** Drawn when that database was made: an index of another one is none of it. */
  readonly epoch: string
}

/** Searches a database, with an index that outlives the tab and that all tabs have in common. */
export function openKeptSearch({ name, source, epoch }: KeptSearchOptions): SharedSearch {
  return createSharedSearch({
    name,
    open: async (mayWrite) => {
      // Without it the index is made anew in memory, which is slow and no less right.
      const blocks = await openIndexDatabase({ name: `keepsession-search:${name}`, epoch }).catch(() => undefined)
      return createSearchService({ source, ...(blocks === undefined ? {} : { blocks, mayWrite }) })
    },
  })
}
