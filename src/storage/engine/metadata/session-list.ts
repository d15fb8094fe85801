import type { CoreBackend } from '../../../contract/backend.ts'
import type { SessionChange } from '../../../contract/change.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { SessionListing } from '../../../contract/meta.ts'
import type { ListQuery, SessionPage } from '../../../contract/store/session-metadata.ts'
import { compareRanks, type ListRank, rankOf } from '../../../domain/list-rank.ts'
import { describeValue } from '../describe-value.ts'
import { listingOf } from './stored-meta.ts'

export interface SessionList {
  readonly page: (query: ListQuery) => Promise<SessionPage>
  /** A session changed, here or in another tab. What is known to be outdated, as it comes from other tabs, is ignored. */
  readonly set: (change: Row) => void
  /** It is unknown what changed: the next page is read from the database. */
  readonly forget: () => void
}

/** A session and its version. Without a listing it is gone. */
type Row = Pick<SessionChange, 'key' | 'session' | 'version' | 'listing'>

/** A list that was read or is being read. */
interface Reading {
  readonly rows: Promise<Rows>
  readonly set: (row: Row) => void
}

/**
 * The list of sessions. It is kept in memory when every change is followed (`isFollowed`); otherwise it is read for
 * each page.
 */
export function createSessionList(backend: CoreBackend, isFollowed: boolean): SessionList {
  let kept: Reading | undefined

  /**
   * Each reading collects its own changes. One that starts because the former is outdated may have been read before the
   * former's changes.
   */
  const read = (): Reading => {
    const rows = new Rows()
    const meanwhile: Row[] = []
    let isRead = false
    const put = (row: Row): void => {
      if (!rows.put(row)) kept = undefined
    }
    const reading = async (): Promise<Rows> => {
      for (const hot of await backend.listSessions()) rows.put({ ...hot, listing: listingOf(hot) })
      meanwhile.splice(0).forEach(put)
      isRead = true
      return rows
    }
    return { rows: reading(), set: (row) => (isRead ? put(row) : meanwhile.push(row)) }
  }

  const readToKeep = (): Reading => {
    const reading = read()
    reading.rows.catch(() => {
      if (kept === reading) kept = undefined
    })
    return reading
  }

  return {
    page: async (query) => {
      if (query.fresh === true) kept = undefined
      return pageOf(await (isFollowed ? (kept ??= readToKeep()) : read()).rows, query)
    },
    set: (row) => kept?.set(row),
    forget: () => {
      kept = undefined
    },
  }
}

/** The rows by key, and by user: an app with many users asks for the sessions of one of them at every start. */
class Rows {
  readonly #byKey = new Map<string, Row>()
  readonly #byUser = new Map<string, Map<string, Row>>()

  /** @returns false where the known session and this one took turns under one key, and it can't be told which is left */
  put({ key, session, version, listing }: Row): boolean {
    // Nothing else of what it comes from is kept, as entries would be.
    const row: Row = { key, session, version, ...(listing && { listing }) }
    const known = this.#byKey.get(key)
    if (known !== undefined) {
      const isSame = known.session === row.session
      if (isSame ? isOlder(row, known) : listing === undefined) return true
      // It may be the next session of that key, or a change of one that was erased before it.
      if (!isSame) return false
    }
    this.#byKey.set(key, row)
    const before = known?.listing?.userId
    const user = row.listing?.userId
    if (before !== undefined && before !== user) this.#leaveUser(before, key)
    if (user === undefined) return true
    const ofUser = this.#byUser.get(user)
    if (ofUser === undefined) this.#byUser.set(user, new Map([[key, row]]))
    else ofUser.set(key, row)
    return true
  }

  #leaveUser(user: string, key: string): void {
    const ofUser = this.#byUser.get(user)
    ofUser?.delete(key)
    if (ofUser?.size === 0) this.#byUser.delete(user)
  }

  of(userId: string | undefined): Iterable<Row> {
    return (userId === undefined ? this.#byKey : this.#byUser.get(userId))?.values() ?? []
  }
}

/** Whether a session was changed, or erased, after this was announced of it. */
const isOlder = (row: Row, known: Row): boolean =>
  row.listing !== undefined && (known.listing === undefined || known.version > row.version)

/** The cursor is the last row's place, so that changes of some sessions do not move the others. */
function pageOf(rows: Rows, query: ListQuery): SessionPage {
  const { agentId, userId, archived, title, deleted = false, limit = 50, cursor, order = 'updated' } = query
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
    throw new SessionError(
      'InvalidInput',
      `limit must be a whole number from 1 to 10,000, got ${describeValue(limit)}.`,
    )
  if (!['updated', 'created', 'title'].includes(order))
    throw new SessionError(
      'InvalidInput',
      `order must be "updated", "created" or "title", got ${describeValue(order)}.`,
    )
  if (title !== undefined && typeof title !== 'string')
    throw new SessionError('InvalidInput', `title must be a string, got ${describeValue(title)}.`)
  const wanted = title?.toLowerCase()
  const found: { readonly rank: ListRank; readonly listing: SessionListing }[] = []
  for (const { listing } of rows.of(userId)) {
    if (listing === undefined || (listing.deletedAt !== undefined) !== deleted) continue
    if (agentId !== undefined && listing.agentId !== agentId) continue
    if (archived !== undefined && listing.archived !== archived) continue
    if (wanted !== undefined && !listing.title.toLowerCase().includes(wanted)) continue
    found.push({ rank: rankOf(listing, order), listing })
  }
  found.sort((a, b) => compareRanks(a.rank, b.rank))
  const after = cursor === undefined ? undefined : readCursor(cursor)
  const start = after === undefined ? 0 : found.findIndex(({ rank }) => compareRanks(rank, after) > 0)
  const page = start < 0 ? [] : found.slice(start, start + limit)
  const last = page.at(-1)
  const hasMore = last !== undefined && start + limit < found.length
  // These are copies, because the list is kept. They are made by hand, because `structuredClone` takes a tenth of a
  // second for ten thousand of them.
  return {
    sessions: page.map(({ listing }) => ({ ...listing, tags: [...listing.tags] })),
    total: found.length,
    ...(hasMore ? { next: JSON.stringify(last.rank) } : {}),
  }
}

function readCursor(cursor: string): ListRank {
  try {
    const rank: unknown = JSON.parse(cursor)
    if (Array.isArray(rank) && rank.length === 2 && typeof rank[1] === 'string') return rank as unknown as ListRank
  } catch {
    // The error below reports it.
  }
  throw new SessionError('InvalidInput', 'cursor must be the `next` of an earlier page.')
}
