import { SessionError } from '../../contract/errors.ts'

/** A text to store under a key; `undefined` removes what is there. */
export interface TextWrite {
  readonly key: string
  readonly text: string | undefined
}

/**
 * Stores texts in this order, all or none: when one does not fit, those before it are put back. Only the death of the tab in between
 * leaves a part, so that what must not be lost comes first.
 *
 * @throws QuotaExceeded, StorageUnavailable
 */
export function writeTexts(storage: Storage, writes: readonly TextWrite[]): void {
  const done: TextWrite[] = []
  try {
    for (const write of writes) {
      const before = storage.getItem(write.key) ?? undefined
      put(storage, write)
      done.push({ key: write.key, text: before })
    }
  } catch (error) {
    // The later first: that makes room for the texts that were there before.
    for (const write of done.reverse()) put(storage, write)
    throw toWebStorageError(error)
  }
}

function put(storage: Storage, { key, text }: TextWrite): void {
  if (text === undefined) storage.removeItem(key)
  else storage.setItem(key, text)
}

/** Firefox has names of its own. */
const quotaNames = ['QuotaExceededError', 'NS_ERROR_DOM_QUOTA_REACHED', 'NS_ERROR_FILE_NO_DEVICE_SPACE']

/** Whether the storage is full. */
export function isQuotaError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && quotaNames.includes(String(error.name))
}

/** Makes one of our errors of what Web Storage threw. */
export function toWebStorageError(error: unknown): unknown {
  if (error instanceof SessionError) return error
  if (isQuotaError(error)) {
    const message = 'Could not store a change: Web Storage is full (browsers give it about 5 MB). Nothing was written; purge sessions, or use IndexedDB.'
    return new SessionError('QuotaExceeded', message, { cause: error })
  }
  return new SessionError('StorageUnavailable', `Could not store a change: Web Storage failed (${String(error)}). Nothing was written.`, { cause: error })
}
