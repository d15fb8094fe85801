import type { StoreChange } from '../contract/change.ts'
import type { SessionListing } from '../contract/meta.ts'
import type { ListQuery } from '../contract/store/session-metadata.ts'
import { compareRanks, type ListRank, rankOf, startBehind } from '../domain/list-rank.ts'
import type { InspectedClient } from './inspector-options.ts'

const smallestPage = 100
/** More at once would be one long task when it arrives. */
const largestPage = 1_000

/** The list of sessions, read page by page as far as somebody looks. */
export interface SessionPages {
  /** How many match in all. */
  total(): number
  at(index: number): SessionListing | undefined
  /** Reads on until this place is here. */
  want(index: number): Promise<void>
  /** Begins again, with another query or the same. */
  restart(query?: ListQuery): Promise<void>
  /** Puts what changed in its place. @returns whether something has to be read for it: then call `renew` */
  take(change: StoreChange): boolean
  /** Reads what the changes have left open. */
  renew(): Promise<void>
}

export function createSessionPages(client: Pick<InspectedClient, 'listSessions'>, onPage: () => void): SessionPages {
  let query: ListQuery = {}
  let sessions: SessionListing[] = []
  let total = 0
  let next: string | undefined
  /** The place up to which the list is here, if it goes on. */
  let end: ListRank | undefined
  /** A change whose place only the store knows. */
  let isUnclear = false
  /** Counts the lists, so that a page of an earlier one is not taken for one of this. */
  let list = 0
  let wanted = -1
  /** What is here is of the list before, until there is a page of this one. */
  let isStale = false
  let reading: Promise<void> | undefined

  async function readOn(): Promise<void> {
    const own = list
    while (own === list && (isStale || sessions.length <= wanted) && next !== undefined) {
      const page = await client.listSessions({
        ...query,
        limit: Math.min(largestPage, Math.max(smallestPage, wanted + 1 - (isStale ? 0 : sessions.length))),
        ...(next === '' ? {} : { cursor: next }),
      })
      if (own !== list) return
      if (isStale) sessions = []
      isStale = false
      // A session may have come to an earlier place meanwhile.
      const known = new Set(sessions.map(({ key }) => key))
      for (const session of page.sessions) if (!known.has(session.key)) sessions.push(session)
      const last = page.sessions.at(-1)
      end = last && rankOf(last, order())
      total = page.total
      next = page.next
      onPage()
    }
  }

  const order = () => query.order ?? 'updated'

  async function count(): Promise<void> {
    const own = list
    const page = await client.listSessions({ ...query, limit: 1 })
    if (own !== list) return
    total = page.total
    onPage()
  }

  function want(index: number): Promise<void> {
    wanted = Math.max(wanted, index)
    const own = list
    reading ??= readOn().finally(() => {
      if (own === list) reading = undefined
    })
    return reading
  }

  function restart(another = query): Promise<void> {
    query = another
    list++
    reading = undefined
    isStale = true
    isUnclear = false
    next = ''
    wanted = -1
    return want(0)
  }

  return {
    total: () => Math.max(total, sessions.length),
    at: (index) => sessions[index],
    want: (index) => (index < sessions.length || next === undefined ? Promise.resolve() : want(index)),
    restart,
    take(change) {
      if (change.type === 'notice') return (isUnclear = true)
      if (change.type !== 'session') return false
      const { key, listing } = change
      const index = sessions.findIndex((session) => session.key === key)
      const before = sessions[index]
      // One of them was begun anew under the key of the other, and which is there now only the store knows.
      if (before && listing && before.createdAt !== listing.createdAt) return (isUnclear = true)
      if (before) sessions.splice(index, 1)
      const isNow = listing !== undefined && isListed(listing, query)
      if (isNow) place(listing, sessions, order(), next === undefined ? undefined : end)
      if (before) total -= isNow ? 0 : 1
      // It may have been listed behind what is here.
      return !before && (isNow || next !== undefined)
    },
    renew: () => (isUnclear ? restart() : count()),
  }
}

function isListed(listing: SessionListing, { deleted = false, title = '' }: ListQuery): boolean {
  return (listing.deletedAt !== undefined) === deleted && listing.title.toLowerCase().includes(title.toLowerCase())
}

/**
 * Puts a session in its place.
 *
 * @param end - the place up to which the list is here; `undefined` when all of it is
 */
function place(
  listing: SessionListing,
  sessions: SessionListing[],
  order: NonNullable<ListQuery['order']>,
  end: ListRank | undefined,
): void {
  const rank = rankOf(listing, order)
  if (end === undefined || compareRanks(rank, end) <= 0) sessions.splice(startBehind(sessions, order, rank), 0, listing)
}
