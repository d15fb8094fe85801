import type { OpeningAttempt } from '../client/opening/ladder.ts'
import type { CoreBackend } from '../contract/backend.ts'
import type { ChangeSink } from '../contract/change.ts'
import type { Encryption } from '../contract/encryption.ts'
import { createSearchService } from '../search/create-search-service.ts'
import type { SharedSearch } from '../search/create-shared-search.ts'
import { openKeptSearch } from '../search/open-kept-search.ts'
import { type IndexedDbBackend, openIndexedDbBackend } from '../storage/indexeddb/indexeddb-backend.ts'
import { openSealed, type Sealed } from './open-sealed.ts'

/** The store to search in this realm. */
export interface InPageSearchOptions {
  /** Name of the store. */
  readonly name: string
  /** The backend of the store. Absent: the store is behind a worker, and its database is opened a second time. */
  readonly backend?: CoreBackend | undefined
  /** Epoch of that database; absent when the store has no database. */
  readonly epoch?: string | undefined
  readonly attempt?: Pick<OpeningAttempt, 'encryption'> | undefined
  /** The changes of the store. */
  readonly feed: { subscribe(listener: ChangeSink): () => void }
}

/** Searches in this realm in small steps, where no worker can be used. */
export async function openSearchInPage({
  name,
  backend,
  epoch,
  attempt,
  feed,
}: InPageSearchOptions): Promise<SharedSearch> {
  const encryption = attempt?.encryption
  const opened = backend === undefined ? await openHere(name, encryption) : undefined
  const source = (opened ?? backend)!
  const found = opened?.epoch ?? epoch
  const search =
    found === undefined
      ? createSearchService({ source })
      : openKeptSearch({ name, source, epoch: found, sealing: (source as Partial<Sealed['backend']>).segments })
  const unsubscribe = feed.subscribe(search.receive)
  return {
    ...search,
    close: async () => {
      unsubscribe()
      await search.close()
      await opened?.close()
    },
  }
}

async function openHere(name: string, encryption: Encryption | undefined): Promise<IndexedDbBackend> {
  const backend = await openIndexedDbBackend({ name, canUnseal: encryption !== undefined })
  return encryption === undefined ? backend : (await openSealed(backend, encryption, name)).backend
}
