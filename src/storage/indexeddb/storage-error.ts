import { SessionError } from '../../contract/errors.ts'
import { notCloneable } from '../clone-input.ts'

function nameOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : ''
}

/** The error and its causes: browsers and Dexie hide the quota error inside an AbortError. */
function withCauses(error: unknown): unknown[] {
  const found: unknown[] = []
  for (let next = error; typeof next === 'object' && next !== null && !found.includes(next); ) {
    found.push(next)
    const { inner, cause } = next as { readonly inner?: unknown; readonly cause?: unknown }
    next = inner ?? cause
  }
  return found
}

/** Whether a failure means that the origin is out of space. */
export function isQuotaError(error: unknown): boolean {
  return withCauses(error).some((one) => nameOf(one) === 'QuotaExceededError' || nameOf(one) === 'QuotaExceeded')
}

/** Whether a value is lost for good because its file is missing. Other failures may pass. */
export function isValueLost(error: unknown): boolean {
  return nameOf(error) === 'NotReadableError'
}

/**
 * Names that alone mean a lost connection: it was closed, or the browser undid a transaction without giving a reason.
 */
const lostNames = ['InvalidStateError', 'DatabaseClosedError', 'AbortError']

/**
 * Words with which browsers report a lost connection. The names of these errors (UnknownError,
 * TransactionInactiveError) have other meanings too.
 */
const lostWords = /server|connection|backing store|in-progress transaction|internal error/i

/**
 * Whether the connection failed and not the call, so that the same call may succeed on a new connection: the server
 * process died (Safari), its files could not be written (a full disk in Chromium), or it was closed.
 */
export function isConnectionLost(error: unknown): boolean {
  if (isQuotaError(error)) return false
  return withCauses(error).some(
    (one) =>
      lostNames.includes(nameOf(one)) ||
      (one instanceof Error &&
        !(one instanceof SessionError) &&
        nameOf(one) !== 'NotReadableError' &&
        lostWords.test(one.message)),
  )
}

/**
 * Converts an error of IndexedDB to a SessionError. Programming errors (TypeError and the like) are returned as they
 * are.
 *
 * @param doing - completes "could not …"
 * @param afterQuota - whether the write before ran out of space: Firefox then refuses the next one with an
 * InvalidStateError
 * @param isWrite - whether it may have been stored although its connection was lost
 */
export function toStorageError(error: unknown, doing: string, afterQuota = false, isWrite = false): unknown {
  if (
    error instanceof SessionError ||
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError
  )
    return error
  if (isQuotaError(error) || (afterQuota && nameOf(error) === 'InvalidStateError')) {
    const message = `Could not ${doing}: the browser gives this origin no more space. Nothing was written; purge sessions, then try again.`
    return new SessionError('QuotaExceeded', message, { cause: error })
  }
  if (nameOf(error) === 'DataCloneError') return notCloneable(doing, error)
  const found = error instanceof Error ? `${error.name}: ${error.message}` : String(error ?? 'it gave no reason')
  const outcome =
    isWrite && isConnectionLost(error)
      ? 'Its connection was lost, so that it may be stored or not: look before you try again.'
      : 'Nothing was changed; try again.'
  const message = `Could not ${doing}: IndexedDB failed (${found}). ${outcome}`
  return new SessionError('StorageUnavailable', message, { cause: error })
}
