import { SessionError } from '../../contract/errors.ts'
import type { SessionListing } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store.ts'
import { compareRanks, type ListRank, rankOf } from '../../domain/list-rank.ts'
import { isSoundId } from '../../domain/identity/check-id.ts'
import { agentOf, defaultAgent } from './find-session.ts'
import { readPreview } from './preview.ts'
import { sessionRow } from './session-row.ts'

/** More are not given at once. Source: ai-panel */
const mostListed = 100
/** Source: PicoClaw */
const usuallyListed = 20

/**
 * One page of an agent's sessions, newest first, as its query asks (`limit`, and `offset` or the `cursor` that came as `next`). Without those
 * that are empty, that moved to another session, or whose key no path of this API can name.
 *
 * @throws InvalidInput
 */
export async function listSessions(store: SessionStore, agentId: string, query: URLSearchParams) {
  const limit = Math.min(numberAt(query, 'limit', usuallyListed, 1), mostListed)
  const cursor = query.get('cursor')
  if (cursor !== null && query.has('offset')) throw new SessionError('InvalidInput', 'Give either "offset" or "cursor".')
  const sessions = (await readAll(store, agentId)).filter((session) => agentOf(session) === agentId && session.messageCount > 0 && session.promotedTo === undefined && isSoundId(session.key))
  const start = cursor === null ? numberAt(query, 'offset', 0, 0) : placeAfter(sessions, readCursor(cursor))
  const page = sessions.slice(start, start + limit)
  const last = page.at(-1)
  return {
    sessions: await Promise.all(page.map(async (session) => ({ ...sessionRow(session), preview: await readPreview(store, session.key) }))),
    total: sessions.length,
    ...(last !== undefined && start + limit < sessions.length ? { next: writeCursor(rankOf(last, 'updated')) } : {}),
  }
}

/** All rows: sessions without an agent are the default agent's, which no query of a store can ask for. */
async function readAll(store: SessionStore, agentId: string): Promise<SessionListing[]> {
  const all: SessionListing[] = []
  for (let cursor: string | undefined, isOver = false; !isOver; isOver = cursor === undefined) {
    const page = await store.listSessions({ limit: 10_000, ...(agentId === defaultAgent ? {} : { agentId }), ...(cursor === undefined ? {} : { cursor }) })
    all.push(...page.sessions)
    cursor = page.next
  }
  return all
}

function numberAt(query: URLSearchParams, name: string, otherwise: number, least: number): number {
  const text = query.get(name)
  if (text === null) return otherwise
  if (!/^\d{1,9}$/.test(text) || Number(text) < least) throw new SessionError('InvalidInput', `"${name}" must be a whole number from ${least} up, not "${text.slice(0, 60)}".`)
  return Number(text)
}

function placeAfter(sessions: readonly SessionListing[], rank: ListRank): number {
  const place = sessions.findIndex((session) => compareRanks(rankOf(session, 'updated'), rank) > 0)
  return place < 0 ? sessions.length : place
}

/** In base64 for URLs, so that it can be put into one as it is. */
function writeCursor(rank: ListRank): string {
  const bytes = new TextEncoder().encode(JSON.stringify(rank))
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function readCursor(cursor: string): ListRank {
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0))
    const rank: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (Array.isArray(rank) && rank.length === 2 && typeof rank[0] === 'number' && typeof rank[1] === 'string') return rank as unknown as ListRank
  } catch {
    // Told below.
  }
  throw new SessionError('InvalidInput', '"cursor" must be the "next" of a page before.')
}
