import type { CoreBackend } from '../contract/backend.ts'
import type { ChangeSink } from '../contract/change.ts'
import { createSearchService } from '../search/create-search-service.ts'
import type { SharedSearch } from '../search/create-shared-search.ts'
import { openKeptSearch } from '../search/open-kept-search.ts'
import { openIndexedDbBackend } from '../storage/indexeddb/indexeddb-backend.ts'

/** What is to be searched in this realm. */
export interface InPageSearchOptions {
  /** Name of the store. */
  readonly name: string
  /** What the store is kept in. Absent: it is behind a worker, and its database is opened once more. */
  readonly backend?: CoreBackend | undefined
  /** Of that database; absent where it is none. */
  readonly epoch?: string | undefined
  /** Where the changes of the store are heard. */
  readonly feed: { subscribe(listener: ChangeSink): () => void }
}

/** Searches in this realm, in small steps: where there are no workers, or none can be had. */
export async function openSearchInPage({ name, backend, epoch, feed }: InPageSearchOptions): Promise<SharedSearch> {
  const opened = backend === undefined ? await openIndexedDbBackend({ name }) : undefined
  const source = (opened ?? backend)!
  const found = opened?.epoch ?? epoch
  const search = found === undefined ? createSearchService({ source }) : openKeptSearch({ name, source, epoch: found })
  const unsubscribe = feed.subscribe(search.hear)
  return {
    ...search,
    close: async () => {
      unsubscribe()
      await search.close()
      await opened?.close()
    },
  }
}
