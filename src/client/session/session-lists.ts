import type { SessionListing } from '../../contract/meta.ts'
import type { ListQuery, SessionPage } from '../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { LiveSource } from './live-query.ts'

/** Keeps pages of the session list current. */
export interface SessionLists {
  /** Keeps one page current for a live query. Returns a function that stops it. */
  follow(query: ListQuery, source: LiveSource<SessionPage>): () => void
}

/** A page that is kept current for all queries that are equal. */
interface Followed {
  readonly join: (source: LiveSource<SessionPage>) => () => void
}

/**
 * Creates the session lists of a client. Equal queries share one reading, so that a change costs the same for five
 * hundred views as for one.
 */
export function createSessionLists(store: SessionStore, feed: ChangeFeed): SessionLists {
  const lists = new Map<string, Followed>()
  return {
    follow: (query, source) => {
      const id = idOf(query)
      // The store refuses an invalid query.
      if (id === undefined) return followList(store, feed, query, () => undefined).join(source)
      const known = lists.get(id) ?? followList(store, feed, { ...query }, () => lists.delete(id))
      lists.set(id, known)
      return known.join(source)
    },
  }
}

/** Equal for equal queries; `undefined` for an invalid query. */
function idOf(query: ListQuery): string | undefined {
  const asked = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  if (!asked.every(([, value]) => typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)))
    return undefined
  return JSON.stringify(asked.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function followList(store: SessionStore, feed: ChangeFeed, query: ListQuery, onEnd: () => void): Followed {
  /**
   * The live queries, each with the number of the first reading that may answer it: a reading that began earlier may
   * lack what the app has just stored.
   */
  const sources = new Map<LiveSource<SessionPage>, number>()
  let page: SessionPage | undefined
  let readings = 0
  let isReading = false
  let isStale = false
  let isEnded = false

  /** Only one reading at a time; changes that arrive meanwhile share the next one. */
  async function refresh(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    // Queries that are opened at the same moment share the reading.
    await undefined
    while (isStale && !isEnded) {
      isStale = false
      readings++
      await read()
    }
    isReading = false
  }

  async function read(): Promise<void> {
    const answered = (): LiveSource<SessionPage>[] =>
      [...sources].flatMap(([source, first]) => (first <= readings ? [source] : []))
    let current: SessionPage
    try {
      const next = await store.listSessions(query)
      page = current = page === undefined ? next : keepSame(page, next)
    } catch (error) {
      for (const { fail } of answered()) fail(error)
      return
    }
    for (const { publish } of answered()) publish(current)
  }

  const stop = feed.subscribe((change) => {
    if (change.type === 'session' || (change.type === 'notice' && change.name === 'workerRestarted')) void refresh()
  })
  return {
    join: (source) => {
      sources.set(source, readings + 1)
      void refresh()
      return () => {
        if (!sources.delete(source) || sources.size > 0) return
        isEnded = true
        stop()
        onEnd()
      }
    },
  }
}

/** The new page with the objects of the old one wherever they are equal, or the old page if all are equal. */
function keepSame(old: SessionPage, next: SessionPage): SessionPage {
  const known = new Map(old.sessions.map((session) => [session.key, session]))
  const sessions = next.sessions.map((session) => {
    const before = known.get(session.key)
    return before !== undefined && isSame(before, session) ? before : session
  })
  const isUnchanged =
    sessions.length === old.sessions.length &&
    sessions.every((session, i) => session === old.sessions[i]) &&
    old.next === next.next &&
    old.total === next.total
  return isUnchanged ? old : { ...next, sessions }
}

function isSame(a: SessionListing, b: SessionListing): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
