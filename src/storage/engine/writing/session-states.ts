import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { Writer } from '../../../domain/writer.ts'

/** What the writer caches of a session between calls. */
export interface CachedSession {
  /** `null`: the session does not exist. `undefined`: the rows must be read. */
  rows: SessionRows | null | undefined
  /** The number of writes by others. A read that began at a smaller count may have returned older rows. */
  news: number
  writer: Writer
  /** The number of the session that the writer has written to. */
  written?: number
}

export interface SessionStates {
  /** The session's state, which becomes the most recently used one. */
  readonly of: (key: string) => CachedSession
  /** The session's state, if it is cached. */
  readonly cached: (key: string) => CachedSession | undefined
  /** The session's rows, from the cache or as stored. */
  readonly load: (key: string) => Promise<SessionRows | undefined>
  readonly drop: (key: string) => void
  /** Somebody else wrote to this session, or to any of them when no key is given. */
  readonly forget: (key?: string) => void
}

export interface SessionStatesParts {
  readonly backend: Pick<CoreBackend, 'loadSession'>
  readonly randomInteger: () => number
  /** Whether calls on a session are queued or running. Its state must stay as it is then. */
  readonly isBusy: (key: string) => boolean
}

/** How many sessions keep a state. The least recently used one goes first. */
const statesKept = 256

/** Caches the rows and the writer of the sessions that were used last. */
export function createSessionStates({ backend, randomInteger, isBusy }: SessionStatesParts): SessionStates {
  const states = new Map<string, CachedSession>()

  const of = (key: string): CachedSession => {
    const state = states.get(key) ?? { rows: undefined, news: 0, writer: { w: randomInteger() } }
    states.delete(key)
    states.set(key, state)
    for (const [oldest] of states) {
      if (states.size <= statesKept) break
      if (!isBusy(oldest)) states.delete(oldest)
    }
    return state
  }

  return {
    of,
    cached: (key) => states.get(key),
    load: async (key) => {
      const state = of(key)
      if (state.rows !== undefined) return state.rows ?? undefined
      const { news } = state
      const rows = await backend.loadSession(key)
      if (state.rows === undefined && state.news === news) state.rows = rows ?? null
      return state.rows ?? rows
    },
    drop: (key) => void states.delete(key),
    forget: (asked) => {
      for (const key of asked === undefined ? states.keys() : [asked]) {
        const state = states.get(key)
        if (state === undefined) continue
        state.news += 1
        if (!isBusy(key)) state.rows = undefined
      }
    },
  }
}
