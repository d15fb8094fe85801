import { SessionError } from '../../contract/errors.ts'

/** @throws StorageUnavailable where a page has no cryptography */
export function webCrypto(): SubtleCrypto {
  // Declared by the types, yet absent outside of secure contexts.
  const subtle = (globalThis.crypto as Crypto | undefined)?.subtle as SubtleCrypto | undefined
  if (subtle === undefined)
    throw new SessionError(
      'StorageUnavailable',
      'Encrypted sync needs crypto.subtle, which pages have only over https or on localhost. Nothing was sent.',
    )
  return subtle
}
