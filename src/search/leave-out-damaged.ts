import { isSessionError } from '../contract/errors.ts'

/** For reads of one session: one that can't be read is not found, and costs the others nothing. */
export function leaveOutDamaged(error: unknown): undefined {
  if (!isSessionError(error, 'ChecksumMismatch')) throw error
}
