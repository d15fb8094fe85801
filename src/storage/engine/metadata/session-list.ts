import type { CoreBackend } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { ListQuery, SessionPage } from '../../../contract/store/session-metadata.ts'
import { type ListRank, rankOf, startBehind } from '../../../domain/list-rank.ts'
import { describeValue } from '../describe-value.ts'
import { type ListedRow, ListedRows } from './listed-rows.ts'
import { listingOf } from './stored-meta.ts'

export interface SessionList {
  readonly page: (query: ListQuery) => Promise<SessionPage>
  /** A session changed, here or in another tab. What is known to be outdated, as it comes from other tabs, is ignored. */
  readonly set: (change: ListedRow) => void
  /** It is unknown what changed: the next page is read from the database. */
  readonly forget: () => void
}

/** A list that was read or is being read. */
interface Reading {
  readonly rows: Promise<ListedRows>
  readonly set: (row: ListedRow) => void
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
    const rows = new ListedRows()
    const meanwhile: ListedRow[] = []
    let isRead = false
    const put = (row: ListedRow): void => {
      if (!rows.put(row)) kept = undefined
    }
    const reading = async (): Promise<ListedRows> => {
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

/** The cursor is the last row's place, so that changes of some sessions do not move the others. */
function pageOf(rows: ListedRows, query: ListQuery): SessionPage {
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
  const inOrder = rows.inOrder({ agentId, userId, archived, deleted, order })
  const wanted = title?.toLowerCase()
  const found =
    wanted === undefined ? inOrder : inOrder.filter((listing) => listing.title.toLowerCase().includes(wanted))
  const start = cursor === undefined ? 0 : startBehind(found, order, readCursor(cursor))
  const page = found.slice(start, start + limit)
  const last = page.at(-1)
  const hasMore = last !== undefined && start + limit < found.length
  // These are copies, because the list is kept. They are made by hand, because `structuredClone` takes a tenth of a
  // second for ten thousand of them.
  return {
    sessions: page.map((listing) => ({ ...listing, tags: [...listing.tags] })),
    total: found.length,
    ...(hasMore ? { next: JSON.stringify(rankOf(last, order)) } : {}),
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
