import { SessionError } from '../../contract/errors.ts'
import { type Bytes, bytesOf } from './bytes.ts'
import { webCrypto } from './web-crypto.ts'

/** The key from which all other keys of a namespace are derived, on all devices of a person: 256 bits. */
export type RootKey = Bytes

export const rootKeyBytes = 32

/** As many as for a store that is encrypted at rest. */
const iterations = 600_000

/**
 * Draws a new key at random. Keep it where the next device can get it: if it is lost on all devices, the data on the
 * server is lost.
 */
export function drawRootKey(): RootKey {
  return crypto.getRandomValues(new Uint8Array(rootKeyBytes))
}

/**
 * Derives the root key from a passphrase (PBKDF2-SHA-256, 600,000 rounds: about a tenth of a second). The salt is
 * derived from the namespace, so that every device finds the same key without asking anybody, and guesses for one
 * namespace are useless for another.
 *
 * @throws InvalidInput, StorageUnavailable (no cryptography here)
 */
export async function rootKeyOfPassphrase(passphrase: string, namespace: string): Promise<RootKey> {
  if (typeof passphrase !== 'string' || passphrase === '')
    throw new SessionError('InvalidInput', 'The passphrase of sync must be a string that is not empty.')
  if (typeof namespace !== 'string' || namespace === '')
    throw new SessionError('InvalidInput', 'A passphrase needs the namespace that it is for.')
  const subtle = webCrypto()
  const salt = (await subtle.digest('SHA-256', bytesOf('keepsession sync passphrase 1\0', namespace))).slice(0, 16)
  // The same passphrase may be typed in several ways that look the same.
  const base = await subtle.importKey('raw', bytesOf(passphrase.normalize('NFKC')), 'PBKDF2', false, ['deriveBits'])
  return new Uint8Array(
    await subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, base, rootKeyBytes * 8),
  )
}

/** @throws InvalidInput */
export function checkRootKey(given: unknown): asserts given is RootKey {
  if (!(given instanceof Uint8Array) || given.length !== rootKeyBytes)
    throw new SessionError(
      'InvalidInput',
      `A root key must have ${rootKeyBytes} bytes. Draw one with drawRootKey, or derive it from a passphrase.`,
    )
}
