import { SessionError } from '../../../contract/errors.ts'

/** How often a change is planned anew because another tab was faster. */
export const attemptLimit = 200

/** What a call rejects with after that many times. */
export function overtaken(key: string): SessionError {
  return new SessionError('StorageUnavailable', `Session "${key}" was changed by other tabs ${attemptLimit} times meanwhile. Try again.`)
}
