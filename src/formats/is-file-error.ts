import { isSessionError, type SessionError } from '../contract/errors.ts'

/** Whether an error is about the file, and not about the store or the caller. */
export function isFileError(error: unknown): error is SessionError {
  return (['InvalidInput', 'TooLarge', 'VersionConflict'] as const).some((name) => isSessionError(error, name))
}
