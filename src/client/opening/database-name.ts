import { SessionError } from '../../contract/errors.ts'

/** Separates the name of a store from that of a user; the name of a store can't contain it. */
const mark = '/user:'

/**
 * Name of the database of a store, or of a user's store. The names of all other storage are derived from it. It is
 * never the same for two stores.
 *
 * @throws InvalidInput for ambiguous names, and for half characters, which can't be written
 */
export function databaseName(name = 'keepsession', userId?: string): string {
  if (userId === '' || name.includes(mark) || /\p{Cs}/u.test(userId ?? ''))
    throw new SessionError(
      'InvalidInput',
      `Pass a userId of whole characters, at least one, and a name without "${mark}".`,
    )
  return userId === undefined ? name : name + mark + encodeURIComponent(userId)
}
