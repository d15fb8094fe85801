import { isValueLost } from './storage-error.ts'

/**
 * An error handler for an unreadable value. It continues when the value is lost for good. Other failures may pass and
 * must not be taken for damage, so that it throws them again.
 */
export function unlessLost(proceed: () => void): (error: unknown) => void {
  return (error) => {
    if (!isValueLost(error)) throw error
    proceed()
  }
}
