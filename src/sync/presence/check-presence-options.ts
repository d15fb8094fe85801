import { SessionError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import { copyPlainJson } from '../../domain/copy-plain.ts'
import { isObject } from '../../domain/is-object.ts'

/** Characters of JSON: the user is sent again with every change. */
const mostUser = 2000

export interface PresenceOptions {
  /** The user as the others see them: a name, a colour. At most 2,000 characters as JSON. */
  readonly user: JsonObject
}

/** @throws InvalidInput */
export function checkPresenceOptions(options: PresenceOptions): PresenceOptions {
  const user = readUser((options as Partial<PresenceOptions> | null)?.user)
  if (user === undefined)
    throw new SessionError(
      'InvalidInput',
      `presence.user must be a plain object of at most ${mostUser} characters as JSON that says who is here, such as { name: 'Ada' }.`,
    )
  return { user }
}

/** A copy, or `undefined` for an invalid user. */
export function readUser(value: unknown): JsonObject | undefined {
  const copy = copyPlainJson(value)
  return isObject(copy) && JSON.stringify(copy).length <= mostUser ? copy : undefined
}
