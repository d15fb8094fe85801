import type { StoreChange } from '../contract/change.ts'

/**
 * Whether a value has the form of a change that stores can follow. Tabs of other releases may send forms that this
 * release does not know.
 */
export function isStoreChange(given: unknown): given is StoreChange {
  const { type, key, name, draft, session, version, listing, names, collection, keys } = (given ?? {}) as Readonly<
    Record<string, unknown>
  >
  if (type === 'notice') return typeof name === 'string'
  if (type === 'collection') return typeof collection === 'string' && isKeyList(keys)
  if (typeof key !== 'string') return false
  return type === 'session'
    ? typeof session === 'number' &&
        typeof version === 'number' &&
        (names === undefined || isKeyList(names)) &&
        (listing === undefined || isListing(listing, key))
    : type === 'draft' && typeof draft === 'string'
}

const isKeyList = (given: unknown): boolean => Array.isArray(given) && given.every((key) => typeof key === 'string')

function isListing(given: unknown, ofKey: string): boolean {
  const { key, updatedAt } = (given ?? {}) as Readonly<Record<string, unknown>>
  return key === ofKey && typeof updatedAt === 'number'
}
