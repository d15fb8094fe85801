import type { Encryption, KeyLock } from '../contract/encryption.ts'
import { SessionError } from '../contract/errors.ts'
import { fromBase64, toBase64 } from './base64.ts'
import { subtleHere } from './subtle-here.ts'

const iterations = 600_000
const saltBytes = 16

/** @throws InvalidInput for what can't encrypt anything */
export function checkEncryption(given: unknown): Encryption {
  const { key, passphrase } = (typeof given === 'object' && given !== null ? given : {}) as { key?: Partial<CryptoKey>; passphrase?: unknown }
  if (passphrase !== undefined && key !== undefined) throw refusal('has both a key and a passphrase')
  if (typeof passphrase === 'string' && passphrase !== '') return { passphrase }
  if (key === undefined) throw refusal('has no key, and no passphrase that is a text and not empty')
  const { name, length } = (key.algorithm ?? {}) as Partial<AesKeyAlgorithm>
  const mayAll = key.usages?.includes('encrypt') === true && key.usages.includes('decrypt')
  if (name !== 'AES-GCM' || length !== 256 || !mayAll) throw refusal('has a key that is no AES-GCM key of 256 bits for encrypting and decrypting')
  return { key: key as CryptoKey }
}

const refusal = (reason: string): SessionError => new SessionError('InvalidInput', `The encryption of a store ${reason}. Pass { key: CryptoKey } or { passphrase: string }.`)

/** What a store that is encrypted anew is locked with. */
export function newLock(given: Encryption): KeyLock {
  return 'key' in given ? { kind: 'key' } : { kind: 'PBKDF2-SHA-256', salt: toBase64(crypto.getRandomValues(new Uint8Array(saltBytes))), iterations }
}

/** The key that data keys are wrapped with. Takes a tenth of a second for a passphrase. @throws WrongPassphrase when the lock is of the other kind */
export async function lockKey(given: Encryption, lock: KeyLock): Promise<CryptoKey> {
  if ('key' in given) {
    if (lock.kind !== 'key') throw new SessionError('WrongPassphrase', 'The store is encrypted with a passphrase, and was opened with a key. Pass the passphrase.')
    return given.key
  }
  if (lock.kind === 'key') throw new SessionError('WrongPassphrase', 'The store is encrypted with a key, and was opened with a passphrase. Pass the key.')
  const subtle = subtleHere()
  // One passphrase may be typed in several ways that look the same.
  const base = await subtle.importKey('raw', new TextEncoder().encode(given.passphrase.normalize('NFKC')), 'PBKDF2', false, ['deriveKey'])
  const how = { name: 'PBKDF2', hash: 'SHA-256', salt: fromBase64(lock.salt), iterations: lock.iterations }
  return subtle.deriveKey(how, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}
