import { SessionError } from '../../contract/errors.ts'

function nameOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'name' in error ? String(error.name) : ''
}

/** The error and what lies under it: browsers and Dexie hide the quota inside an AbortError. */
function chain(error: unknown): unknown[] {
  const found: unknown[] = []
  for (let next = error; typeof next === 'object' && next !== null && !found.includes(next); ) {
    found.push(next)
    const { inner, cause } = next as { inner?: unknown; cause?: unknown }
    next = inner ?? cause
  }
  return found
}

/** Whether a failure means that the origin is out of space. */
export function isQuotaError(error: unknown): boolean {
  return chain(error).some((one) => nameOf(one) === 'QuotaExceededError' || nameOf(one) === 'QuotaExceeded')
}

/** Whether the connection is gone, so that only a new one can help. */
export function isConnectionLost(error: unknown): boolean {
  return nameOf(error) === 'InvalidStateError' || nameOf(error) === 'DatabaseClosedError'
}

/**
 * Makes one of our errors of what IndexedDB gave. TypeErrors and the like pass as they are: they are mistakes in the code.
 *
 * @param afterQuota - whether the write before ran out of space: Firefox then refuses the next one with an InvalidStateError
 */
export function toStorageError(error: unknown, doing: string, afterQuota = false): unknown {
  if (error instanceof SessionError) return error
  if (isQuotaError(error) || (afterQuota && nameOf(error) === 'InvalidStateError')) {
    return new SessionError('QuotaExceeded', `Could not ${doing}: the browser gives this origin no more space. Nothing was written; delete or purge sessions, then try again.`, { cause: error })
  }
  const name = nameOf(error)
  if (name === 'DataCloneError') return new SessionError('InvalidInput', `Could not ${doing}: a value in it can't be stored (${messageOf(error)}). Give plain JSON data.`, { cause: error })
  if (error === null || error === undefined || /Error$/.test(name) && !(error instanceof TypeError || error instanceof RangeError)) {
    return new SessionError('StorageUnavailable', `Could not ${doing}: IndexedDB failed (${name || 'no reason given'}: ${messageOf(error)}). Nothing was written; try again.`, { cause: error })
  }
  return error
}

function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
}
