import { SessionError } from '../../contract/errors.ts'

/** A text to store under a key; `undefined` removes it. */
export interface TextWrite {
  readonly key: string
  readonly text: string | undefined
}

/**
 * Stores texts in this order, all or none: when one does not fit, the texts before it are restored. Only when the tab
 * dies in between, a part is left. So the most important texts come first.
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
    // The last one is undone first, which makes room for the old texts.
    for (const write of done.reverse()) put(storage, write)
    throw toWebStorageError(error)
  }
}

function put(storage: Storage, { key, text }: TextWrite): void {
  if (text === undefined) storage.removeItem(key)
  else storage.setItem(key, text)
}

/** Firefox has its own names. */
const quotaNames = ['QuotaExceededError', 'NS_ERROR_DOM_QUOTA_REACHED', 'NS_ERROR_FILE_NO_DEVICE_SPACE']

/** Whether the storage is full. */
export function isQuotaError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && quotaNames.includes(String(error.name))
}

/** Converts an error of Web Storage to a SessionError. */
export function toWebStorageError(error: unknown): unknown {
  if (error instanceof SessionError) return error
  if (isQuotaError(error)) {
    const message =
      'Could not store a change: Web Storage is full (browsers give it about 5 MB). Nothing was written; purge sessions, or use IndexedDB.'
    return new SessionError('QuotaExceeded', message, { cause: error })
  }
  return new SessionError(
    'StorageUnavailable',
    `Could not store a change: Web Storage failed (${String(error)}). Nothing was written.`,
    { cause: error },
  )
}
