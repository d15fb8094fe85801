import { SessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { rankOf } from '../../domain/list-rank.ts'
import { readPreview } from './chat-preview.ts'
import { agentOf } from './find-chat-session.ts'
import { type FoundSession, findSessions, type ListPlace, mostRead, withScope } from './find-chat-sessions.ts'
import { sessionRow } from './session-row.ts'

/** The maximum number of sessions on a page. Source: ai-panel */
const mostListed = 100
/** Source: PicoClaw */
const usuallyListed = 20

/**
 * Lists one page of an agent's sessions, newest first, for a query (`limit`, and `offset` or a `cursor` from an earlier
 * `next`). Sessions that are empty, were moved to another session, or whose key can't be part of a path of this API are
 * left out. `total` is the number of all sessions, for which all rows are read. With a cursor it is left out, and only
 * as many rows are read as the page needs.
 *
 * @throws InvalidInput
 */
export async function listSessions(store: SessionStore, agentId: string, query: URLSearchParams) {
  const limit = Math.min(numberAt(query, 'limit', usuallyListed, 1), mostListed)
  const cursor = query.get('cursor')
  if (cursor !== null && query.has('offset'))
    throw new SessionError('InvalidInput', 'Pass either "offset" or "cursor".')
  const offset = numberAt(query, 'offset', 0, 0)
  const after = cursor === null ? undefined : readCursor(cursor)
  const page: FoundSession[] = []
  let total = 0
  for await (const found of findSessions(store, agentId, after, cursor === null ? mostRead : limit)) {
    if (total >= offset && page.length <= limit) {
      const session = await withScope(store, found.session)
      if (agentOf(session) !== agentId) continue
      page.push({ ...found, session })
      if (cursor !== null && page.length > limit) break
    }
    total += 1
  }
  const last = page.length > limit ? page[limit - 1] : undefined
  return {
    sessions: await Promise.all(
      page
        .slice(0, limit)
        .map(async ({ session }) => ({ ...sessionRow(session), preview: await readPreview(store, session.key) })),
    ),
    ...(cursor === null ? { total } : {}),
    ...(last === undefined ? {} : { next: writeCursor({ rank: rankOf(last.session, 'updated'), page: last.page }) }),
  }
}

function numberAt(query: URLSearchParams, name: string, otherwise: number, least: number): number {
  const text = query.get(name)
  if (text === null) return otherwise
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw new SessionError(
      'InvalidInput',
      `"${name}" must be a whole number from ${least} up, not "${text.slice(0, 60)}".`,
    )
  return Number(text)
}

/** Base64 for URLs, so that it can be put into a URL as it is. */
function writeCursor({ rank, page }: ListPlace): string {
  const bytes = new TextEncoder().encode(JSON.stringify([...rank, ...(page === undefined ? [] : [page])]))
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function readCursor(cursor: string): ListPlace {
  try {
    const bytes = Uint8Array.from(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0))
    const [value, key, page, ...more]: readonly unknown[] = JSON.parse(new TextDecoder().decode(bytes))
    if (
      typeof value === 'number' &&
      typeof key === 'string' &&
      (page === undefined || typeof page === 'string') &&
      more.length === 0
    )
      return { rank: [value, key], page }
  } catch {
    // Reported below.
  }
  throw new SessionError('InvalidInput', '"cursor" must be the "next" of an earlier page.')
}
