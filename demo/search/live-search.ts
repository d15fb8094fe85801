import type { SearchHit, SessionClient } from '../../src/index.ts'
import type { SearchFilter, SearchProgress } from '../../src/types.ts'

/** Who types goes on typing: the search begins when there is a pause. */
const pauseMs = 120
/** Only a wait that can be felt is spoken of. */
const patienceMs = 400
export const hitsAtOnce = 30

export interface LiveSearch {
  /** Searches, in the place of any search before. An empty query only ends that. */
  ask(query: string, filter: SearchFilter, limit?: number): void
  stop(): void
}

export interface LiveSearchOptions {
  readonly client: SessionClient
  /** Called with the answer to what was asked last. */
  readonly onHits: (hits: readonly SearchHit[], hasMore: boolean) => void
  /** Called when an answer takes its time, and then while it waits for the index. */
  readonly onWait: (progress: SearchProgress | undefined) => void
  readonly onError: (error: unknown) => void
}

/** Searches while somebody types: only what was asked last is answered. */
export function createLiveSearch({ client, onHits, onWait, onError }: LiveSearchOptions): LiveSearch {
  let running: AbortController | undefined
  let pause: ReturnType<typeof setTimeout> | undefined

  async function run(query: string, filter: SearchFilter, limit: number): Promise<void> {
    const { signal } = (running = new AbortController())
    const waiting = setTimeout(() => onWait(undefined), patienceMs)
    signal.addEventListener('abort', () => clearTimeout(waiting))
    try {
      const hits = await client.search(query, {
        ...filter,
        limit: limit + 1,
        signal,
        onProgress: (progress) => (clearTimeout(waiting), onWait(progress)),
      })
      if (!signal.aborted) onHits(hits.slice(0, limit), hits.length > limit)
    } catch (error) {
      if (!signal.aborted) onError(error)
    } finally {
      clearTimeout(waiting)
    }
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
