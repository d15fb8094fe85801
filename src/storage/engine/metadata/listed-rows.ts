import type { SessionChange } from '../../../contract/change.ts'
import type { SessionListing } from '../../../contract/meta.ts'
import type { ListQuery } from '../../../contract/store/session-metadata.ts'
import { compareRanks, type ListRank, rankOf, startBehind } from '../../../domain/list-rank.ts'

/** A session and its version. Without a listing it is gone. */
export type ListedRow = Pick<SessionChange, 'key' | 'session' | 'version' | 'listing'>

/** What an order is kept of: a query without the part of a title. */
interface Conditions {
  readonly agentId: string | undefined
  readonly userId: string | undefined
  readonly archived: boolean | undefined
  readonly deleted: boolean
  readonly order: NonNullable<ListQuery['order']>
}

/** The sessions that meet some conditions, in their order. */
interface Ordered {
  readonly conditions: Conditions
  readonly listings: SessionListing[]
}

/** How many orders are kept. The least recently used one goes first. */
const ordersKept = 8

/**
 * The rows by key, and in the orders that were asked for last: a page of ten thousand sessions sorts none of them, and a
 * change moves one.
 */
export class ListedRows {
  readonly #byKey = new Map<string, ListedRow>()
  readonly #orders = new Map<string, Ordered>()

  /** @returns false where the known session and this one took turns under one key, and it can't be told which is left */
  put({ key, session, version, listing }: ListedRow): boolean {
    // Nothing else of what it comes from is kept, as entries would be.
    const row: ListedRow = { key, session, version, ...(listing && { listing }) }
    const known = this.#byKey.get(key)
    if (known !== undefined) {
      const isSame = known.session === row.session
      if (isSame ? isOlder(row, known) : listing === undefined) return true
      // It may be the next session of that key, or a change of one that was erased before it.
      if (!isSame) return false
    }
    this.#byKey.set(key, row)
    for (const one of this.#orders.values()) {
      move(one, known?.listing, true)
      move(one, listing, false)
    }
    return true
  }

  /** The sessions that meet the conditions, in their order. Later changes change the list. */
  inOrder(conditions: Conditions): readonly SessionListing[] {
    const name = JSON.stringify(conditions)
    const one = this.#orders.get(name) ?? { conditions, listings: this.#sort(conditions) }
    this.#orders.delete(name)
    this.#orders.set(name, one)
    if (this.#orders.size > ordersKept) this.#orders.delete(this.#orders.keys().next().value!)
    return one.listings
  }

  #sort(conditions: Conditions): SessionListing[] {
    const found: (readonly [ListRank, SessionListing])[] = []
    for (const { listing } of this.#byKey.values())
      if (meets(listing, conditions)) found.push([rankOf(listing, conditions.order), listing])
    return found.sort(([a], [b]) => compareRanks(a, b)).map(([, listing]) => listing)
  }
}

/** Takes a session out of an order, or puts it in, if it meets the conditions. */
function move({ conditions, listings }: Ordered, listing: SessionListing | undefined, isOut: boolean): void {
  if (!meets(listing, conditions)) return
  const behind = startBehind(listings, conditions.order, rankOf(listing, conditions.order))
  if (isOut) {
    // What was damaged has no place in the order.
    const isThere = listings[behind - 1]?.key === listing.key
    const at = isThere ? behind - 1 : listings.findIndex(({ key }) => key === listing.key)
    if (at >= 0) listings.splice(at, 1)
  } else listings.splice(behind, 0, listing)
}

function meets(
  listing: SessionListing | undefined,
  { agentId, userId, archived, deleted }: Conditions,
): listing is SessionListing {
  return (
    listing !== undefined &&
    (listing.deletedAt !== undefined) === deleted &&
    (agentId === undefined || listing.agentId === agentId) &&
    (userId === undefined || listing.userId === userId) &&
    (archived === undefined || listing.archived === archived)
  )
}

/** Whether a session was changed, or erased, after this was announced of it. */
const isOlder = (row: ListedRow, known: ListedRow): boolean =>
  row.listing !== undefined && (known.listing === undefined || known.version > row.version)
