import { SessionError } from '../../contract/errors.ts'

/** Stands between a store's name and a user's; no store's name has it. */
const mark = '/user:'

/**
 * Name of the database of a store, or of one user's. Everything else that is kept is named by it. Two of them are never
 * the same.
 *
 * @throws InvalidInput for names that could be taken for each other, and for half characters, which can't be written
 */
export function databaseName(name = 'keepsession', userId?: string): string {
  if (userId === '' || name.includes(mark) || /\p{Cs}/u.test(userId ?? ''))
    throw new SessionError('InvalidInput', `An empty userId, half a character in it, or "${mark}" in the name.`)
  return userId === undefined ? name : name + mark + encodeURIComponent(userId)
}
