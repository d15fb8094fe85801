import type { SessionChange } from '../contract/change.ts'
import type { VersionVector } from '../contract/entry.ts'
import type { SessionListing } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store.ts'
import { createTaskQueue } from './task-queue.ts'
import { vectorHash } from './vector-hash.ts'

/** A session of this store. */
export interface LocalSession {
  readonly listing: SessionListing
  /** Its part of a document's name. */
  readonly id: string
  readonly vector: VersionVector
  readonly hash: string
}

/** A session that is here, and can't be read. */
export interface UnreadableSession {
  readonly listing: SessionListing
  readonly message: string
}

/** What is here, and how much is known of each. */
export interface LocalSessions {
  readonly all: ReadonlyMap<string, LocalSession>
  /** Those that the store could not read when it was asked last, by key: nothing is to be done with them. They are in no other list. */
  readonly unreadable: ReadonlyMap<string, UnreadableSession>
  /** Whether it is known what is here: what is not known would be fetched, and never sent. */
  isLoaded(): boolean
  /** Takes note of a change; `refresh` looks what it was. @returns the session, when it was erased for good */
  hear(change: Pick<SessionChange, 'key' | 'listing'>): LocalSession | undefined
  /** Whether changes were heard that nobody has looked at, or nobody has looked at all yet. */
  isStale(): boolean
  /** Reads them all, deleted ones too, the first time; what was heard of after that. Does not reject because single ones can't be read. */
  refresh(): Promise<void>
  /** Has `refresh` look at these once more that could not be read. Default: all. */
  retry(keys?: Iterable<string>): void
  forget(key: string): void
}

export function createLocalSessions(store: Pick<SessionStore, 'listSessions' | 'getVector'>, idOf: (key: string) => string | Promise<string>): LocalSessions {
  const all = new Map<string, LocalSession>()
  const unreadable = new Map<string, UnreadableSession>()
  const heard = new Map<string, SessionListing>()
  const looks = createTaskQueue()
  let isLoaded = false

  /** One that can't be read keeps nobody from the others. */
  const take = async (listing: SessionListing): Promise<void> => {
    const { key } = listing
    try {
      await read(listing)
      unreadable.delete(key)
    } catch (error) {
      // What was known of it may hold no longer.
      all.delete(key)
      unreadable.set(key, { listing, message: (error as Error).message })
    }
  }

  const read = async (listing: SessionListing): Promise<void> => {
    const { key } = listing
    const id = all.get(key)?.id ?? (await idOf(key))
    // Last, and noted at once: whatever is heard of the session after that answer is newer.
    const vector = await store.getVector(key, { isKey: true })
    if (vector === undefined) all.delete(key)
    else all.set(key, { listing, id, vector, hash: vectorHash(vector) })
  }

  const load = async (): Promise<void> => {
    for (const deleted of [false, true]) {
      for (let cursor: string | undefined; ; ) {
        const page = await store.listSessions({ deleted, limit: 1000, ...(cursor === undefined ? {} : { cursor }) })
        await Promise.all(page.sessions.map(take))
        if (page.next === undefined) break
        cursor = page.next
      }
    }
    isLoaded = true
  }

  /** All at once, or a thousand sessions that come in would wait for each other. */
  const look = async (): Promise<void> => {
    if (!isLoaded) await load()
    await Promise.all(
      [...heard].map(async ([key, listing]) => {
        await take(listing)
        if (heard.get(key) === listing) heard.delete(key)
      }),
    )
  }

  return {
    all,
    unreadable,
    isLoaded: () => isLoaded,
    hear: ({ key, listing }) => {
      if (listing !== undefined) return void heard.set(key, listing)
      const erased = all.get(key)
      all.delete(key)
      heard.delete(key)
      unreadable.delete(key)
      return erased
    },
    isStale: () => !isLoaded || heard.size > 0,
    // One after the other: many ask at once, and what one has looked at the next need not.
    refresh: () => looks.run(look),
    retry: (keys = unreadable.keys()) => {
      for (const key of keys) {
        const one = unreadable.get(key)
        if (one !== undefined && !heard.has(key)) heard.set(key, one.listing)
      }
    },
    forget: (key) => {
      all.delete(key)
      heard.delete(key)
    },
  }
}
