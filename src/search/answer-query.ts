import type { SessionRows, StoredEntry } from '../contract/rows.ts'
import type { SearchFilter, SearchHit } from '../contract/search.ts'
import type { SessionPlaces } from '../contract/session-places.ts'
import { entryId } from '../domain/address.ts'
import type { Line } from '../domain/line.ts'
import { rowMessage } from '../domain/view-state.ts'
import { type Breather, inBreaths } from '../pacing/breather.ts'
import { makeSnippet } from './make-snippet.ts'
import type { Clause } from './parse-query.ts'
import { type LiveSegment, type RankedDocument, rankDocuments } from './rank-documents.ts'
import { readPlaces } from './read-block-places.ts'
import type { SearchSource } from './search-source.ts'
import { searchText } from './search-text.ts'
import type { Segment } from './segment.ts'
import { type ShownRow, sessionLines, showRows } from './session-lines.ts'
import type { SessionState } from './session-state.ts'
import type { SessionTable } from './session-table.ts'

const defaultLimit = 20

export interface QueryTask {
  readonly source: SearchSource
  readonly segments: readonly LiveSegment[]
  readonly sessions: Pick<SessionTable, 'get' | 'numbered'>
  readonly clauses: readonly Clause[]
  readonly filter: SearchFilter
  readonly breathe: Breather
}

export interface QueryAnswer {
  readonly hits: readonly SearchHit[]
  /** Keys of sessions whose index is out of date: a document that matched was removed or changed. */
  readonly stale: readonly string[]
}

/** Finds documents in the index and reads them from the store, so that hits show only current content. */
export async function answerQuery({
  source,
  segments,
  sessions,
  clauses,
  filter,
  breathe,
}: QueryTask): Promise<QueryAnswer> {
  const { limit = defaultLimit, offset = 0 } = filter
  const ranked = rankDocuments(segments, clauses, createFilter(sessions, filter), offset + limit).slice(offset)
  // The table may change while they are read.
  const keys = new Map<number, string>()
  for (const { segment, document } of ranked) {
    const session = segment.documents.sessions[document]!
    keys.set(session, sessions.numbered(session)!.key)
  }
  const read = await readRanked(source, ranked, keys)
  const stale = new Set<string>()
  const hits: SearchHit[] = []
  for (const {
    segment: { documents },
    document,
    score,
  } of ranked) {
    const session = documents.sessions[document]!
    const hit = await inBreaths(hitAt(read.get(session), documents.orders[document]!, score, clauses), breathe)
    if (hit === undefined) stale.add(keys.get(session)!)
    else hits.push(hit)
  }
  return { hits, stale: [...stale] }
}

function isSearched(
  { key, agentId, userId, isHidden, promotedTo }: SessionState,
  sessions: QueryTask['sessions'],
  filter: SearchFilter,
): boolean {
  if (isHidden || (promotedTo !== undefined && sessions.get(promotedTo) !== undefined)) return false
  if (filter.sessionKey !== undefined && key !== filter.sessionKey) return false
  return (
    (filter.agentId === undefined || agentId === filter.agentId) &&
    (filter.userId === undefined || userId === filter.userId)
  )
}

function createFilter(
  sessions: QueryTask['sessions'],
  filter: SearchFilter,
): (segment: Segment, document: number) => boolean {
  const { from = -Infinity, to = Infinity, role } = filter
  // Documents of a session are neighbours, so that the last answer is nearly always the next one too.
  let session = -1
  let isIn = false
  return ({ documents }, document) => {
    if (documents.sessions[document] !== session) {
      session = documents.sessions[document]!
      const state = sessions.numbered(session)
      isIn = state !== undefined && isSearched(state, sessions, filter)
    }
    const at = documents.at[document]!
    return isIn && at >= from && at < to && (role === undefined || documents.roles[document] === role)
  }
}

/** A session with hits, as it is stored now. `shown` has the rows of the hits that are still shown, by order. */
interface FoundSession {
  readonly hot: SessionRows['hot']
  readonly shown: ReadonlyMap<string, ShownRow>
}

/** Reads the ranked documents. @returns their sessions, by number */
async function readRanked(
  source: SearchSource,
  ranked: readonly RankedDocument[],
  keys: ReadonlyMap<number, string>,
): Promise<ReadonlyMap<number, FoundSession>> {
  const places = new Map<number, SessionPlaces['places'][number][]>()
  for (const {
    segment: { documents },
    document,
  } of ranked) {
    const session = documents.sessions[document]!
    const place = { branch: documents.branches[document]!, order: documents.orders[document]! }
    const known = places.get(session)
    if (known === undefined) places.set(session, [place])
    else known.push(place)
  }
  const answers = await readPlaces(
    source,
    [...places].map(([session, list]) => ({ key: keys.get(session)!, session, places: list })),
  )
  const read = new Map<number, FoundSession>()
  for (const answer of answers) {
    if (answer === undefined || answer.rows.hot.deletedAt !== undefined) continue
    const { rows, entries } = answer
    const found = entries.filter((entry) => entry !== undefined)
    const shownRow = await showRows(source, rows, sessionLines(rows), found)
    const shown = new Map<string, ShownRow>()
    for (const entry of found) {
      const one = shownRow(entry)
      if (one !== undefined) shown.set(entry.order, one)
    }
    read.set(rows.hot.session, { hot: rows.hot, shown })
  }
  return read
}

/** The hit as the message is now; `undefined` when it is no longer shown, or no longer matches. */
function* hitAt(
  session: FoundSession | undefined,
  order: string,
  score: number,
  clauses: readonly Clause[],
): Generator<void, SearchHit | undefined, undefined> {
  const one = session?.shown.get(order)
  return one && (yield* hitOf(session!.hot, one.row, one.line, score, clauses))
}

function* hitOf(
  hot: SessionRows['hot'],
  row: StoredEntry,
  line: Line,
  score: number,
  clauses: readonly Clause[],
): Generator<void, SearchHit | undefined, undefined> {
  const message = rowMessage(row)
  const snippet = yield* makeSnippet(searchText(message), clauses)
  const mid = row.data['mid']
  if (message === undefined || snippet === undefined) return undefined
  return {
    key: hot.key,
    title: hot.title ?? hot.suggestedTitle ?? hot.auto?.title ?? '',
    id: entryId(row.w, row.s),
    branch: row.branch,
    order: row.order,
    line: line.branch,
    isOnHead: line.branch === hot.head,
    at: row.at,
    role: message.role,
    ...(typeof mid === 'string' ? { mid } : {}),
    snippet,
    score,
  }
}
