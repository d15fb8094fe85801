import type { SessionListing, SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { isSoundId } from '../../domain/identity/check-id.ts'
import { isExplicitKey } from '../../domain/identity/key-kind.ts'
import { compareRanks, type ListRank, rankOf } from '../../domain/list-rank.ts'
import { agentOf } from './find-chat-session.ts'

/** Rows that a store gives at once. */
export const mostRead = 10_000
/** Scopes that are read at once. */
const scopesAtOnce = 64

export type ListedSession = SessionListing & Pick<SessionMeta, 'scope'>

/** A place in the list: behind a rank, which is on the page of the store's list that this cursor of the store gives. */
export interface ListPlace {
  readonly rank: ListRank
  /** Absent: the first page. */
  readonly page: string | undefined
}

export interface FoundSession {
  readonly session: ListedSession
  /** The cursor of the store's page that it is on. */
  readonly page: string | undefined
}

/**
 * Finds an agent's sessions, newest first, and reads no further than it is asked for. A row has no scope, and reading
 * each one's would take long: what a router made has one (by its key), for others see {@link withScope}.
 *
 * @param atOnce - rows to begin with; more each time that they were not enough
 */
export async function* findSessions(
  store: SessionStore,
  agentId: string,
  after: ListPlace | undefined,
  atOnce: number,
): AsyncGenerator<FoundSession, void, undefined> {
  let cursor = after?.page
  for (let limit = atOnce; ; limit = Math.min(limit * 4, mostRead)) {
    const page = await store.listSessions({ limit, ...(cursor === undefined ? {} : { cursor }) })
    const shown = page.sessions.filter(
      (row) => isShown(row) && (after === undefined || compareRanks(rankOf(row, 'updated'), after.rank) > 0),
    )
    for (let i = 0; i < shown.length; i += scopesAtOnce) {
      const sessions = await Promise.all(
        shown.slice(i, i + scopesAtOnce).map((row) => (isExplicitKey(row.key) ? withScope(store, row) : row)),
      )
      for (const session of sessions) if (agentOf(session) === agentId) yield { session, page: cursor }
    }
    if (page.next === undefined) return
    cursor = page.next
  }
}

/** A row with what else says whose it is. */
export async function withScope(store: SessionStore, row: ListedSession): Promise<ListedSession> {
  if (row.agentId !== undefined || row.scope !== undefined) return row
  const scope = (await store.getMeta(row.key))?.scope
  return scope === undefined ? row : { ...row, scope }
}

function isShown({ key, messageCount, promotedTo }: SessionListing): boolean {
  return messageCount > 0 && promotedTo === undefined && isSoundId(key)
}
