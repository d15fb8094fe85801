import { isSessionError } from '../contract/errors.ts'

/** An error handler for reads of one session: a damaged session is not found, and does not affect the others. */
export function leaveOutDamaged(error: unknown): undefined {
  if (!isSessionError(error, 'ChecksumMismatch')) throw error
}
