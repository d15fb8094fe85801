import type { SearchHit, SessionClient, SessionListing, SessionPage } from '../../src/index.ts'
import type { SearchFilter, SearchProgress } from '../../src/types.ts'

/** Who types goes on typing: the search begins when there is a pause. */
const pauseMs = 120
/** Only a wait that can be felt is spoken of. */
const patienceMs = 400
export const hitsAtOnce = 30
/** Titles come before the messages: of many there are few at first, and more as more is asked for. */
const hitsPerTitle = 6

/** What was found. */
export interface Found {
  /** Conversations whose title has the words as they were typed. */
  readonly sessions: readonly SessionListing[]
  readonly hits: readonly SearchHit[]
  readonly hasMore: boolean
}

export interface LiveSearch {
  /** Searches, in the place of any search before. An empty query only ends that. */
  ask(query: string, filter: SearchFilter, limit?: number): void
  stop(): void
}

export interface LiveSearchOptions {
  readonly client: SessionClient
  /** Called with the answer to what was asked last. */
  readonly onFound: (found: Found) => void
  /** Called when an answer takes its time, and then while it waits for the index. */
  readonly onWait: (progress: SearchProgress | undefined) => void
  readonly onError: (error: unknown) => void
}

/** Searches while somebody types: only what was asked last is answered. */
export function createLiveSearch({ client, onFound, onWait, onError }: LiveSearchOptions): LiveSearch {
  let running: AbortController | undefined
  let pause: ReturnType<typeof setTimeout> | undefined

  async function run(query: string, filter: SearchFilter, limit: number): Promise<void> {
    const { signal } = (running = new AbortController())
    const waiting = setTimeout(() => onWait(undefined), patienceMs)
    signal.addEventListener('abort', () => clearTimeout(waiting))
    try {
      const [{ sessions, total }, hits] = await Promise.all([
        titled(query, filter, Math.ceil(limit / hitsPerTitle)),
        client.search(query, {
          ...filter,
          limit: limit + 1,
          signal,
          onProgress: (progress) => (clearTimeout(waiting), onWait(progress)),
        }),
      ])
      const hasMore = hits.length > limit || total > sessions.length
      if (!signal.aborted) onFound({ sessions, hits: hits.slice(0, limit), hasMore })
    } catch (error) {
      if (!signal.aborted) onError(error)
    } finally {
      clearTimeout(waiting)
    }
  }

  async function titled(
    query: string,
    filter: SearchFilter,
    limit: number,
  ): Promise<Pick<SessionPage, 'sessions' | 'total'>> {
    const { sessionKey, agentId, from = 0 } = filter
    // Who searches one conversation knows which it is.
    if (sessionKey !== undefined) return { sessions: [], total: 0 }
    const ofAgent = agentId === undefined ? {} : { agentId }
    const page = await client.listSessions({ ...ofAgent, title: query.trim(), limit })
    const sessions = page.sessions.filter(({ updatedAt }) => updatedAt >= from)
    // The newest come first: where one is too old, so are all that follow.
    return { sessions, total: sessions.length < page.sessions.length ? sessions.length : page.total }
  }

  function stop(): void {
    clearTimeout(pause)
    running?.abort()
    running = undefined
  }

  return {
    stop,
    ask(query, filter, limit = hitsAtOnce) {
      stop()
      if (query.trim() !== '') pause = setTimeout(() => void run(query, filter, limit), pauseMs)
    },
  }
}
