import type { SessionRows, StoredEntry } from '../contract/rows.ts'
import type { SearchFilter, SearchHit } from '../contract/search.ts'
import { entryId } from '../domain/address.ts'
import { rowMessage } from '../domain/arrive.ts'
import type { Line } from '../domain/line.ts'
import { leaveOutDamaged } from './leave-out-damaged.ts'
import { makeSnippet } from './make-snippet.ts'
import type { Clause } from './parse-query.ts'
import { type LiveSegment, type RankedDocument, rankDocuments } from './rank-documents.ts'
import { searchText } from './search-text.ts'
import type { SearchSource } from './search-source.ts'
import { lineShowing, sessionLines } from './session-lines.ts'
import type { SessionState } from './session-state.ts'

const defaultLimit = 20

export interface QueryTask {
  readonly source: SearchSource
  readonly segments: readonly LiveSegment[]
  readonly sessions: ReadonlyMap<string, SessionState>
  readonly clauses: readonly Clause[]
  readonly filter: SearchFilter
}

export interface QueryAnswer {
  readonly hits: readonly SearchHit[]
  /** Keys of sessions whose index is behind what is stored: where a hit was expected there is none now, or it says something else. */
  readonly stale: readonly string[]
}

/** Looks a query up and reads what was found, as it is stored now: what is gone is never shown, whatever the index says. */
export async function answerQuery({ source, segments, sessions, clauses, filter }: QueryTask): Promise<QueryAnswer> {
  const { limit = defaultLimit, offset = 0 } = filter
  const searched = new Map<number, string>()
  for (const state of sessions.values()) if (isSearched(state, sessions, filter)) searched.set(state.number, state.key)
  const { from = -Infinity, to = Infinity, role } = filter
  const ranked = rankDocuments(segments, clauses, ({ documents }, document) => {
    const at = documents.at[document]!
    return searched.has(documents.sessions[document]!) && at >= from && at < to && (role === undefined || documents.roles[document] === role)
  }, offset + limit)
  const loaded = new Map<string, Promise<LoadedSession | undefined>>()
  const load = (key: string): Promise<LoadedSession | undefined> => {
    const known = loaded.get(key)
    if (known !== undefined) return known
    const loading = source.loadSession(key).then((rows) => (rows === undefined || rows.hot.deletedAt !== undefined ? undefined : { rows, lines: sessionLines(rows) }), leaveOutDamaged)
    loaded.set(key, loading)
    return loading
  }
  const stale = new Set<string>()
  const hits = await Promise.all(
    ranked.slice(offset).map(async (one) => {
      const key = searched.get(one.segment.documents.sessions[one.document]!)!
      const session = await load(key)
      const hit = session && (await readHit(source, session, one, clauses))
      if (hit === undefined) stale.add(key)
      return hit
    }),
  )
  return { hits: hits.filter((hit) => hit !== undefined), stale: [...stale] }
}

interface LoadedSession {
  readonly rows: SessionRows
  readonly lines: readonly Line[]
}

function isSearched({ key, agentId, userId, isHidden, promotedTo }: SessionState, sessions: QueryTask['sessions'], filter: SearchFilter): boolean {
  if (isHidden || (promotedTo !== undefined && sessions.has(promotedTo))) return false
  if (filter.sessionKey !== undefined && key !== filter.sessionKey) return false
  return (filter.agentId === undefined || agentId === filter.agentId) && (filter.userId === undefined || userId === filter.userId)
}

/** The message that was found, as it is now; `undefined` when it is no longer shown, or no longer has what was asked for. */
async function readHit(source: SearchSource, { rows: { hot, cold }, lines }: LoadedSession, { segment, document, score }: RankedDocument, clauses: readonly Clause[]): Promise<SearchHit | undefined> {
  const { sessions, branches, orders } = segment.documents
  const branch = branches[document]!
  const order = orders[document]!
  const lane = Object.hasOwn(cold.lanes, branch) ? cold.lanes[branch] : undefined
  if (lane === undefined || sessions[document] !== hot.session) return undefined
  const { entries } = await source.readRange({ session: hot.session, lane, from: order, to: order })
  const row = entries.find((entry) => entry.order === order)
  const line = row && lineShowing(lines, row)
  if (row === undefined || line === undefined) return undefined
  return hitOf(hot, row, line, score, clauses)
}

function hitOf(hot: SessionRows['hot'], row: StoredEntry, line: Line, score: number, clauses: readonly Clause[]): SearchHit | undefined {
  const message = rowMessage(row)
  const snippet = makeSnippet(searchText(message), clauses)
  const mid = row.data['mid']
  if (message === undefined || snippet === undefined) return undefined
  return {
    key: hot.key,
    title: hot.title ?? hot.suggestedTitle ?? hot.auto?.title ?? '',
    id: entryId(row.w, row.s),
    branch: row.branch,
    order: row.order,
    line: line.branch,
    at: row.at,
    role: message.role,
    ...(typeof mid === 'string' ? { mid } : {}),
    snippet,
    score,
  }
}
