import type { SessionListing } from '../contract/meta.ts'
import type { ListQuery, SessionPage, SessionStore } from '../contract/store.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { LiveSource } from './live-query.ts'

/** Keeps a page of the session list current. Returns how to stop. */
export function followSessionList(store: SessionStore, feed: ChangeFeed, query: ListQuery, { publish, fail }: LiveSource<SessionPage>): () => void {
  let page: SessionPage | undefined
  let isReading = false
  let isStale = false
  let isEnded = false

  /** One reading at a time: changes that come meanwhile share the next one. */
  async function refresh(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale && !isEnded) {
      isStale = false
      try {
        const next = await store.listSessions(query)
        page = page === undefined ? next : keepSame(page, next)
        publish(page)
      } catch (error) {
        fail(error)
      }
    }
    isReading = false
  }

  const stop = feed.subscribe((change) => {
    if (change.type === 'session' || (change.type === 'notice' && change.name === 'workerRestarted')) void refresh()
  })
  void refresh()
  return () => {
    isEnded = true
    stop()
  }
}

/** The new page with the old one's objects wherever they are equal, or the old page when all are. */
function keepSame(old: SessionPage, next: SessionPage): SessionPage {
  const known = new Map(old.sessions.map((session) => [session.key, session]))
  const sessions = next.sessions.map((session) => {
    const before = known.get(session.key)
    return before !== undefined && isSame(before, session) ? before : session
  })
  const isUnchanged = sessions.length === old.sessions.length && sessions.every((session, i) => session === old.sessions[i]) && old.next === next.next && old.total === next.total
  return isUnchanged ? old : { ...next, sessions }
}

function isSame(a: SessionListing, b: SessionListing): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
