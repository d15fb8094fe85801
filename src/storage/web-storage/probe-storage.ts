import { SessionError } from '../../contract/errors.ts'
import { isQuotaError, toWebStorageError } from './write-texts.ts'

/**
 * Some browsers offer a storage that stores nothing, or that throws when it is used. One that is full of sessions can
 * still be read.
 *
 * @throws StorageUnavailable
 */
export function probeStorage(storage: Storage, name: string): void {
  try {
    storage.setItem(`${name}:probe`, '1')
    storage.removeItem(`${name}:probe`)
  } catch (error) {
    if (isQuotaError(error) && storage.length > 0) return
    throw new SessionError(
      'StorageUnavailable',
      `Could not open Web Storage for "${name}": it stores nothing. Use another backend.`,
      { cause: toWebStorageError(error) },
    )
  }
}
