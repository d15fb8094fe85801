import type { StoreChange } from '../contract/change.ts'
import type { SessionListing } from '../contract/meta.ts'
import type { ListQuery } from '../contract/store/session-metadata.ts'
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
  /** Takes a change into what is here. @returns whether the list is in another order now, or has other members */
  take(change: StoreChange): boolean
}

export function createSessionPages(client: Pick<InspectedClient, 'listSessions'>, onPage: () => void): SessionPages {
  let query: ListQuery = {}
  let sessions: SessionListing[] = []
  let total = 0
  let next: string | undefined
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
      for (const session of page.sessions) sessions.push(session)
      total = page.total
      next = page.next
      onPage()
    }
  }

  function want(index: number): Promise<void> {
    wanted = Math.max(wanted, index)
    const own = list
    reading ??= readOn().finally(() => {
      if (own === list) reading = undefined
    })
    return reading
  }

  return {
    total: () => total,
    at: (index) => sessions[index],
    want: (index) => (index < sessions.length || next === undefined ? Promise.resolve() : want(index)),
    restart(another = query) {
      query = another
      list++
      reading = undefined
      isStale = true
      next = ''
      wanted = -1
      return want(0)
    },
    take(change) {
      if (change.type !== 'session') return false
      const index = sessions.findIndex(({ key }) => key === change.key)
      const { listing } = change
      if (index < 0 || listing === undefined) return index >= 0 || listing !== undefined
      const before = sessions[index]!
      // One of them was begun anew under the key of the other, and which is there now only the store knows.
      if (before.createdAt !== listing.createdAt) return true
      sessions[index] = listing
      // A title decides what is listed, and where, if the query has one or sorts by it.
      if (before.deletedAt !== listing.deletedAt || before.title !== listing.title) return true
      const isFirst = index === 0
      return !isFirst && before.updatedAt !== listing.updatedAt
    },
  }
}
