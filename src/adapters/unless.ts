import { isSessionError, type SessionErrorName } from '../contract/errors.ts'

/** Takes errors of these names as done, and throws the others on. */
export function unless(...names: readonly SessionErrorName[]): (error: unknown) => void {
  return (error) => {
    if (!names.some((name) => isSessionError(error, name))) throw error
  }
}
