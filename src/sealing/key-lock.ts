import type { Encryption, KeyLock } from '../contract/encryption.ts'
import { SessionError } from '../contract/errors.ts'
import { fromBase64, toBase64 } from '../domain/base64.ts'
import { subtleHere } from './subtle-here.ts'

const iterations = 600_000
const saltBytes = 16

/** @throws InvalidInput when it holds neither a usable key nor a passphrase */
export function checkEncryption(given: unknown): Encryption {
  const { key, passphrase } = (typeof given === 'object' && given !== null ? given : {}) as {
    key?: Partial<CryptoKey>
    passphrase?: unknown
  }
  if (passphrase !== undefined && key !== undefined) throw refusal('has both a key and a passphrase')
  if (typeof passphrase === 'string' && passphrase !== '') return { passphrase }
  if (key === undefined) throw refusal('has neither a key nor a non-empty passphrase string')
  const { name, length } = (key.algorithm ?? {}) as Partial<AesKeyAlgorithm>
  const mayAll = key.usages?.includes('encrypt') === true && key.usages.includes('decrypt')
  if (name !== 'AES-GCM' || length !== 256 || !mayAll)
    throw refusal('has a key that is not a 256-bit AES-GCM key for encryption and decryption')
  return { key: key as CryptoKey }
}

const refusal = (reason: string): SessionError =>
  new SessionError(
    'InvalidInput',
    `The encryption of a store ${reason}. Pass { key: CryptoKey } or { passphrase: string }.`,
  )

/** The lock for a store that gets a new key or passphrase. */
export function newLock(given: Encryption): KeyLock {
  return 'key' in given
    ? { kind: 'key' }
    : { kind: 'PBKDF2-SHA-256', salt: toBase64(crypto.getRandomValues(new Uint8Array(saltBytes))), iterations }
}

/**
 * The key that wraps the data keys. Deriving it from a passphrase takes a tenth of a second.
 *
 * @throws WrongPassphrase when the lock is of the other kind
 */
export async function lockKey(given: Encryption, lock: KeyLock): Promise<CryptoKey> {
  if ('key' in given) {
    if (lock.kind !== 'key')
      throw new SessionError(
        'WrongPassphrase',
        'The store is encrypted with a passphrase, but was opened with a key. Pass the passphrase.',
      )
    return given.key
  }
  if (lock.kind === 'key')
    throw new SessionError(
      'WrongPassphrase',
      'The store is encrypted with a key, but was opened with a passphrase. Pass the key.',
    )
  const subtle = subtleHere()
  // The same passphrase may be typed with different Unicode characters that look alike.
  const base = await subtle.importKey(
    'raw',
    new TextEncoder().encode(given.passphrase.normalize('NFKC')),
    'PBKDF2',
    false,
    ['deriveKey'],
  )
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt: fromBase64(lock.salt), iterations: lock.iterations }
  return subtle.deriveKey(how, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}
