import { SessionError } from '../contract/errors.ts'

/** @throws StorageUnavailable on pages without cryptography */
export function subtleHere(): SubtleCrypto {
  // The types declare it, but it is absent outside of secure contexts.
  const subtle = (globalThis.crypto as Crypto | undefined)?.subtle as SubtleCrypto | undefined
  if (subtle === undefined)
    throw new SessionError(
      'StorageUnavailable',
      'Encryption needs crypto.subtle, which pages have only over https or on localhost. Nothing was written.',
    )
  return subtle
}
