import { SessionError } from '../contract/errors.ts'
import { clonePlain } from './clone-plain.ts'

/**
 * A copy of a caller's value. @throws InvalidInput when it holds something that can't be copied: functions, symbols,
 * proxies
 */
export function cloneInput<T>(input: T): T {
  try {
    return clonePlain(input)
  } catch (error) {
    throw notCloneable('store a change', error)
  }
}

/** The error for a value that can't be copied. `doing` completes "could not …". */
export function notCloneable(doing: string, cause: unknown): SessionError {
  const found = cause instanceof Error ? cause.message : String(cause)
  return new SessionError(
    'InvalidInput',
    `Could not ${doing}: a value in it can't be copied (${found}). Give plain JSON data; nothing was written.`,
    { cause },
  )
}
