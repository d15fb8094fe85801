import { SessionError } from '../../contract/errors.ts'
import { notCloneable } from '../clone-input.ts'

function nameOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : ''
}

/** The error and what lies under it: browsers and Dexie hide the quota inside an AbortError. */
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

/** Whether a value is gone for good: the file it lay in is missing. Other failures may pass. */
export function isValueLost(error: unknown): boolean {
  return nameOf(error) === 'NotReadableError'
}

/** Whether the connection is gone, so that only a new one can help. */
export function isConnectionLost(error: unknown): boolean {
  return nameOf(error) === 'InvalidStateError' || nameOf(error) === 'DatabaseClosedError'
}

/**
 * Makes one of our errors of what IndexedDB gave. Mistakes in the code (TypeError and the like) pass as they are.
 *
 * @param doing - completes "could not …"
 * @param afterQuota - whether the write before ran out of space: Firefox then refuses the next one with an InvalidStateError
 */
export function toStorageError(error: unknown, doing: string, afterQuota = false): unknown {
  if (error instanceof SessionError || error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return error
  if (isQuotaError(error) || (afterQuota && nameOf(error) === 'InvalidStateError')) {
    const message = `Could not ${doing}: the browser gives this origin no more space. Nothing was written; purge sessions, then try again.`
    return new SessionError('QuotaExceeded', message, { cause: error })
  }
  if (nameOf(error) === 'DataCloneError') return notCloneable(doing, error)
  const found = error instanceof Error ? `${error.name}: ${error.message}` : String(error ?? 'it gave no reason')
  const message = `Could not ${doing}: IndexedDB failed (${found}). Nothing was changed; try again.`
  return new SessionError('StorageUnavailable', message, { cause: error })
}
