import type { SessionChange } from '../contract/change.ts'
import type { VersionVector } from '../contract/entry.ts'
import type { SessionListing } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { createTaskQueue } from './task-queue.ts'
import { vectorHash } from './vector-hash.ts'

/** A session of this store. */
export interface LocalSession {
  readonly listing: SessionListing
  /** The session's part of a document name. */
  readonly id: string
  readonly vector: VersionVector
  readonly hash: string
}

/** A session that is here, but cannot be read. */
interface UnreadableSession {
  readonly listing: SessionListing
  readonly message: string
}

/** The sessions that are here, and how much is known of each. */
export interface LocalSessions {
  readonly all: ReadonlyMap<string, LocalSession>
  /**
   * Sessions that the store could not read last time, by key. Nothing is done with them, and they are in no other list.
   */
  readonly unreadable: ReadonlyMap<string, UnreadableSession>
  /** Whether the local sessions are known: unknown ones would be fetched, and never sent. */
  isLoaded(): boolean
  /** Records a change; `refresh` reads the session. @returns the session, when it was erased for good */
  noteChange(change: Pick<SessionChange, 'key' | 'listing'>): LocalSession | undefined
  /** What is known of a session may be outdated: `refresh` reads it, with a newer listing if there is one. */
  reread(listing: SessionListing): void
  /** Whether changes were recorded but not read, or nothing was read yet. */
  isStale(): boolean
  /**
   * Reads all sessions the first time, including deleted ones; later, only those that changed. Does not reject when
   * single sessions cannot be read.
   */
  refresh(): Promise<void>
  /** `refresh` tries to read these again. Default: all unreadable ones. */
  retry(keys?: Iterable<string>): void
  /**
   * Erases a session here that was purged elsewhere: nothing is known of it from now on, whatever is heard meanwhile. If
   * it could not be erased, it is read again.
   */
  erase(key: string, task: () => Promise<void>): Promise<void>
}

type ReadStore = Pick<SessionStore, 'listSessions' | 'getVector'>

export function createLocalSessions(store: ReadStore, idOf: (key: string) => string | Promise<string>): LocalSessions {
  const all = new Map<string, LocalSession>()
  const unreadable = new Map<string, UnreadableSession>()
  const changed = new Map<string, SessionListing>()
  /** Sessions that were erased during the first look, which may have found them before. */
  const erasedMeanwhile = new Set<string>()
  const looks = createTaskQueue()
  /** Sessions that are being erased: a look at one may be answered before that, and be late. */
  const leaving = new Set<string>()
  const take = sessionTaker(store, idOf, all, unreadable)
  let isLoaded = false

  /** A copy, because a look that is under way may have read it before. */
  const reread = (listing: SessionListing): void => {
    if (!changed.has(listing.key)) changed.set(listing.key, { ...listing })
  }

  const look = async (): Promise<void> => {
    if (!isLoaded) {
      await eachListing(store, take)
      for (const key of erasedMeanwhile) if (all.has(key)) reread(all.get(key)!.listing)
      erasedMeanwhile.clear()
    }
    isLoaded = true
    await takeAll(changed, leaving, take)
  }

  return {
    all,
    unreadable,
    isLoaded: () => isLoaded,
    noteChange: ({ key, listing }) => {
      if (listing !== undefined) return void changed.set(key, listing)
      const erased = all.get(key)
      const last = changed.get(key) ?? erased?.listing ?? unreadable.get(key)?.listing
      all.delete(key)
      changed.delete(key)
      unreadable.delete(key)
      if (!isLoaded) erasedMeanwhile.add(key)
      // Another tab may have begun it anew, and have been heard first: the store says whether it is there.
      if (last !== undefined) reread(last)
      return erased
    },
    reread,
    isStale: () => !isLoaded || changed.size > 0,
    // One after the other: many callers ask at once, and the next need not read what the previous one has read.
    refresh: () => looks.run(look),
    retry: (keys = unreadable.keys()) => {
      for (const key of keys) {
        const one = unreadable.get(key)
        if (one !== undefined) reread(one.listing)
      }
    },
    erase: sessionEraser({ all, changed, leaving, reread, inTurn: looks.run, look }),
  }
}

interface SessionEraserOptions {
  readonly all: Map<string, LocalSession>
  readonly changed: Map<string, SessionListing>
  readonly leaving: Set<string>
  readonly reread: LocalSessions['reread']
  readonly look: () => Promise<void>
  /** Runs it when the look that is under way has ended. */
  readonly inTurn: (task: () => Promise<void>) => Promise<void>
}

function sessionEraser({ all, changed, leaving, reread, look, inTurn }: SessionEraserOptions): LocalSessions['erase'] {
  return async (key, task) => {
    const listing = all.get(key)?.listing
    leaving.add(key)
    all.delete(key)
    changed.delete(key)
    try {
      // The look that is under way may have read it before.
      await inTurn(async () => void all.delete(key))
      await task()
    } catch (error) {
      if (listing !== undefined) reread(listing)
      throw error
    } finally {
      leaving.delete(key)
      await inTurn(look)
    }
  }
}

/** Reads one session. One that can't be read does not affect the others. */
function sessionTaker(
  store: Pick<ReadStore, 'getVector'>,
  idOf: (key: string) => string | Promise<string>,
  all: Map<string, LocalSession>,
  unreadable: Map<string, UnreadableSession>,
): (listing: SessionListing) => Promise<void> {
  return async (listing) => {
    const { key } = listing
    try {
      const id = all.get(key)?.id ?? (await idOf(key))
      // Last, and stored at once: changes that are recorded after this answer are newer.
      const vector = await store.getVector(key, { isKey: true })
      if (vector === undefined) all.delete(key)
      else all.set(key, { listing, id, vector, hash: vectorHash(vector) })
      unreadable.delete(key)
    } catch (error) {
      // What was known of it may be outdated.
      all.delete(key)
      unreadable.set(key, { listing, message: (error as Error).message })
    }
  }
}

/** Goes through all sessions, including deleted ones, page by page. */
async function eachListing(store: ReadStore, take: (listing: SessionListing) => Promise<void>): Promise<void> {
  for (const deleted of [false, true]) {
    for (let cursor: string | undefined; ; ) {
      const page = await store.listSessions({ deleted, limit: 1000, ...(cursor === undefined ? {} : { cursor }) })
      await Promise.all(page.sessions.map(take))
      if (page.next === undefined) break
      cursor = page.next
    }
  }
}

/** All at once, or a thousand sessions that arrive would wait for each other. What changes meanwhile stays. */
async function takeAll(
  changed: Map<string, SessionListing>,
  leaving: ReadonlySet<string>,
  take: (listing: SessionListing) => Promise<void>,
): Promise<void> {
  await Promise.all(
    [...changed].map(async ([key, listing]) => {
      if (leaving.has(key)) return
      await take(listing)
      if (changed.get(key) === listing) changed.delete(key)
    }),
  )
}
