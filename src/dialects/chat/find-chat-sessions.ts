import type { SessionListing, SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { isSoundId } from '../../domain/identity/check-id.ts'
import { isExplicitKey } from '../../domain/identity/key-kind.ts'
import { compareRanks, type ListRank, rankOf } from '../../domain/list-rank.ts'
import { agentOf } from './find-chat-session.ts'

/** The maximum number of rows that a store returns at once. */
export const mostRead = 10_000
/** The number of scopes that are read concurrently. */
const scopesAtOnce = 64

export type ListedSession = SessionListing & Pick<SessionMeta, 'scope'>

/** A place in the list: after a rank, on the page of the store's list that begins at a cursor. */
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
 * Finds an agent's sessions, newest first, and reads only as far as the caller iterates. A row has no scope, and
 * reading the scope of each session would take long. It is read only where the key has a router's form; for other
 * sessions see {@link withScope}.
 *
 * @param atOnce - rows of the first page; each further page is larger
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

/** A row with its scope, which may name the agent. */
export async function withScope(store: SessionStore, row: ListedSession): Promise<ListedSession> {
  if (row.agentId !== undefined || row.scope !== undefined) return row
  const scope = (await store.getMeta(row.key))?.scope
  return scope === undefined ? row : { ...row, scope }
}

function isShown({ key, messageCount, promotedTo }: SessionListing): boolean {
  return messageCount > 0 && promotedTo === undefined && isSoundId(key)
}
