import type { SessionListing } from '../../contract/meta.ts'
import type { ListQuery, SessionPage } from '../../contract/store/session-metadata.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { LiveSource } from './live-query.ts'

/** Keeps pages of the session list current. */
export interface SessionLists {
  /** Keeps one page current for whoever watches it. Returns how to stop. */
  follow(query: ListQuery, source: LiveSource<SessionPage>): () => void
}

/** A page that is kept current, for all who watch the same. */
interface Followed {
  readonly join: (source: LiveSource<SessionPage>) => () => void
}

/**
 * Makes what keeps pages current: who asks the same shares one reading, so that a change costs as much for five hundred
 * views as for one.
 */
export function createSessionLists(store: SessionStore, feed: ChangeFeed): SessionLists {
  const lists = new Map<string, Followed>()
  return {
    follow: (query, source) => {
      const id = idOf(query)
      // What is no query is refused by the store.
      if (id === undefined) return followList(store, feed, query, () => undefined).join(source)
      const known = lists.get(id) ?? followList(store, feed, { ...query }, () => lists.delete(id))
      lists.set(id, known)
      return known.join(source)
    },
  }
}

/** What tells queries apart; `undefined` for what is no query. */
function idOf(query: ListQuery): string | undefined {
  const asked = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
  if (!asked.every(([, value]) => typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)))
    return undefined
  return JSON.stringify(asked.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function followList(store: SessionStore, feed: ChangeFeed, query: ListQuery, onEnd: () => void): Followed {
  /**
   * Those who watch it, with the first reading that may answer them: one that began before they came may lack what they
   * have stored.
   */
  const sources = new Map<LiveSource<SessionPage>, number>()
  let page: SessionPage | undefined
  let readings = 0
  let isReading = false
  let isStale = false
  let isEnded = false

  /** One reading at a time: changes that come meanwhile share the next one. */
  async function refresh(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    // Who comes in the same moment shares the reading.
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
    for (const { publish, fail } of answered()) {
      try {
        publish(current)
      } catch (error) {
        // A listener of one view is nothing to the others.
        fail(error)
      }
    }
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

/** The new page with the old one's objects wherever they are equal, or the old page when all are. */
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
