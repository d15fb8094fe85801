import { createSearchService } from './create-search-service.ts'
import { createSharedSearch, type SharedSearch } from './create-shared-search.ts'
import { indexName, openIndexDatabase, type SegmentSealing } from './open-index-database.ts'
import type { SearchSource } from './search-source.ts'

export interface KeptSearchOptions {
  /** Name of the database that is searched. */
  readonly name: string
  readonly source: SearchSource
  /** Drawn when that database was created. An index with another epoch belongs to another database. */
  readonly epoch: string
  /** Absent: the database is plain. */
  readonly sealing?: SegmentSealing | undefined
}

/** Searches a database with an index that outlives the tab and that all tabs share. */
export function openKeptSearch({ name, source, epoch, sealing }: KeptSearchOptions): SharedSearch {
  return createSharedSearch({
    name,
    open: async (mayWrite) => {
      // Without a stored index it is rebuilt in memory, which is slow but gives the same hits.
      const blocks = await openIndexDatabase({ name: indexName(name), epoch, sealing }).catch(() => undefined)
      return createSearchService({ source, ...(blocks === undefined ? {} : { blocks, mayWrite }) })
    },
  })
}
