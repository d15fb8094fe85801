import type { SessionChange } from '../contract/change.ts'
import type { VersionVector } from '../contract/entry.ts'
import type { SessionListing } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store.ts'
import { vectorHash } from './vector-hash.ts'

/** A session of this store. */
export interface LocalSession {
  readonly listing: SessionListing
  /** Its part of a document's name. */
  readonly id: string
  readonly vector: VersionVector
  readonly hash: string
}

/** What is here, and how much is known of each. */
export interface LocalSessions {
  readonly all: ReadonlyMap<string, LocalSession>
  /** Reads them all, deleted ones too. */
  load(): Promise<void>
  /** Takes note of a change; `refresh` looks what it was. @returns the session, when it was erased for good */
  hear(change: SessionChange): LocalSession | undefined
  /** Whether changes were heard that nobody has looked at. */
  isStale(): boolean
  refresh(): Promise<void>
  forget(key: string): void
}

export function createLocalSessions(store: Pick<SessionStore, 'listSessions' | 'getVector'>, idOf: (key: string) => string | Promise<string>): LocalSessions {
  const all = new Map<string, LocalSession>()
  const heard = new Map<string, SessionListing>()
  let last: Promise<unknown> = Promise.resolve()

  const take = async (listing: SessionListing): Promise<void> => {
    const { key } = listing
    const vector = await store.getVector(key)
    // What was promoted lives on as another session.
    if (vector === undefined || listing.promotedTo !== undefined) all.delete(key)
    else all.set(key, { listing, id: all.get(key)?.id ?? (await idOf(key)), vector, hash: vectorHash(vector) })
  }

  const look = async (): Promise<void> => {
    for (const [key, listing] of [...heard]) {
      await take(listing)
      if (heard.get(key) === listing) heard.delete(key)
    }
  }

  return {
    all,
    load: async () => {
      for (const deleted of [false, true]) {
        for (let cursor: string | undefined; ; ) {
          const page = await store.listSessions({ deleted, limit: 1000, ...(cursor === undefined ? {} : { cursor }) })
          await Promise.all(page.sessions.map(take))
          if (page.next === undefined) break
          cursor = page.next
        }
      }
    },
    hear: ({ key, listing }) => {
      if (listing !== undefined) return void heard.set(key, listing)
      const erased = all.get(key)
      all.delete(key)
      heard.delete(key)
      return erased
    },
    isStale: () => heard.size > 0,
    // One after the other: many ask at once, and what one has looked at the next need not.
    refresh: () => {
      const run = last.then(look)
      last = run.catch(() => undefined)
      return run
    },
    forget: (key) => {
      all.delete(key)
      heard.delete(key)
    },
  }
}
