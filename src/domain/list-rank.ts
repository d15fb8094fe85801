import type { SessionListing } from '../contract/meta.ts'
import type { ListQuery } from '../contract/store/session-metadata.ts'

/** The place of a session in a list. As JSON it is the cursor that continues after it. */
export type ListRank = readonly [value: number | string, key: string]

type ListOrder = NonNullable<ListQuery['order']>

export function rankOf(listing: SessionListing, order: ListOrder): ListRank {
  if (order === 'title') return [listing.title.toLowerCase(), listing.key]
  return [-(order === 'created' ? listing.createdAt : listing.updatedAt), listing.key]
}

export function compareRanks(a: ListRank, b: ListRank): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1
  return a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0
}

/** Where the sessions behind a place begin, in a list that is in order. */
export function startBehind(listings: readonly SessionListing[], order: ListOrder, rank: ListRank): number {
  let low = 0
  for (let high = listings.length; low < high; ) {
    const middle = (low + high) >> 1
    if (compareRanks(rankOf(listings[middle]!, order), rank) > 0) high = middle
    else low = middle + 1
  }
  return low
}
