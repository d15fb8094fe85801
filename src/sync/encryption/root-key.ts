import { SessionError } from '../../contract/errors.ts'
import { type Bytes, bytesOf } from './bytes.ts'
import { webCrypto } from './web-crypto.ts'

/** What every other key of a namespace is made of, on all devices of a person: 256 bits. */
export type RootKey = Bytes

export const rootKeyBytes = 32

/** As for a store that is encrypted at rest. */
const iterations = 600_000

/** A new one, at random. Keep it where the next device gets it from: who loses it on all devices loses what the server has. */
export function drawRootKey(): RootKey {
  return crypto.getRandomValues(new Uint8Array(rootKeyBytes))
}

/**
 * The one that a passphrase stands for (PBKDF2-SHA-256, 600,000 rounds: about a tenth of a second). Its salt is made of the namespace, so that
 * every device finds the same key without asking anybody, and the guesses at one namespace are worth nothing for another.
 *
 * @throws InvalidInput, StorageUnavailable (no cryptography here)
 */
export async function rootKeyOfPassphrase(passphrase: string, namespace: string): Promise<RootKey> {
  if (typeof passphrase !== 'string' || passphrase === '') throw new SessionError('InvalidInput', 'The passphrase of sync has to be a text that is not empty.')
  if (typeof namespace !== 'string' || namespace === '') throw new SessionError('InvalidInput', 'A passphrase needs the namespace that it is for.')
  const subtle = webCrypto()
  const salt = (await subtle.digest('SHA-256', bytesOf('keepsession sync passphrase 1\0', namespace))).slice(0, 16)
  // One passphrase may be typed in several ways that look the same.
  const base = await subtle.importKey('raw', bytesOf(passphrase.normalize('NFKC')), 'PBKDF2', false, ['deriveBits'])
  return new Uint8Array(await subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, base, rootKeyBytes * 8))
}

/** @throws InvalidInput */
export function checkRootKey(given: unknown): asserts given is RootKey {
  if (!(given instanceof Uint8Array) || given.length !== rootKeyBytes) throw new SessionError('InvalidInput', `A root key has to be ${rootKeyBytes} bytes. Draw one with drawRootKey, or make it of a passphrase.`)
}
