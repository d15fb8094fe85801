import type { Keyring } from '../../contract/encryption.ts'
import { SessionError } from '../../contract/errors.ts'
import { keyringKey } from './schema.ts'
import type { Steps } from './transaction.ts'

/** The database that was in use no longer exists. */
export function goneError(name: string): SessionError {
  return new SessionError(
    'DataLoss',
    `The database "${name}" is gone: it was deleted, evicted or wiped while in use. Tell the user; restore from an export or by sync.`,
  )
}

export function newerError(name: string): SessionError {
  return new SessionError(
    'VersionConflict',
    `The database "${name}" was written by newer code. Update the app (reload the page); nothing was touched.`,
  )
}

export function foreignError(name: string): SessionError {
  return new SessionError(
    'StorageUnavailable',
    `The database "${name}" has object stores that this package did not create. Choose another name for the store; nothing was touched.`,
  )
}

/** A database with encrypted content was opened without a key. */
export function sealedError(name: string): SessionError {
  return new SessionError(
    'WrongPassphrase',
    `The database "${name}" is encrypted, but was opened without a key. Open it with its \`encryption\`; nothing was touched.`,
  )
}

/** A blob was sealed with keys that are no longer those of the database. */
export function keysChangedError(name: string): SessionError {
  return new SessionError(
    'StorageUnavailable',
    `The encryption of the database "${name}" was changed meanwhile, so that the blob was not stored. Store it again.`,
  )
}

/**
 * Passes on rows, unless their content is encrypted and this code was given no key. Another tab may have encrypted it
 * since the database was opened.
 */
export const unlessSealed =
  (name: string, canUnseal: boolean) =>
  <Row extends object | undefined>(row: Row): Row => {
    if (row !== undefined && 'sealed' in row && !canUnseal) throw sealedError(name)
    return row
  }

/** Fails the transaction of code without a key if the database is encrypted by now. */
export function refuseSealed({ store, read }: Steps, name: string): void {
  read<Keyring | undefined>(store('info').get(keyringKey), (keyring) => {
    if ((keyring?.current ?? '') !== '') throw sealedError(name)
  })
}
