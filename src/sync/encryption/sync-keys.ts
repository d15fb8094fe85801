import { SessionError } from '../../contract/errors.ts'
import { bytesOf } from './bytes.ts'
import { toHex } from './hex.ts'
import { checkRootKey, type RootKey } from './root-key.ts'
import { webCrypto } from './web-crypto.ts'

/**
 * The keys of one namespace that are derived from one root key. They can be sent to a worker and stored in IndexedDB,
 * but not be read there.
 */
export interface SyncKeys {
  /** Identifies keys and reveals nothing about them: 16 hexadecimal digits. */
  readonly id: string
  readonly namespace: string
  /** HKDF, not extractable: the others are derived from it. */
  readonly root: CryptoKey
}

export const keyIdBytes = 8

/**
 * @param root - the root key, or `root` of keys that were opened before
 * @throws InvalidInput, StorageUnavailable (no cryptography here)
 */
export async function openSyncKeys(root: RootKey | CryptoKey, namespace: string): Promise<SyncKeys> {
  if (typeof namespace !== 'string' || namespace === '')
    throw new SessionError('InvalidInput', 'Sync keys need the namespace that they are for.')
  const key = root instanceof Uint8Array ? await importRoot(root) : root
  const { algorithm, usages } = (key as Partial<CryptoKey> | undefined) ?? {}
  if (algorithm?.name !== 'HKDF' || !usages?.includes('deriveBits') || !usages.includes('deriveKey'))
    throw new SessionError(
      'InvalidInput',
      'The key of sync must be a root key of 32 bytes, or the HKDF key that was derived from one.',
    )
  const bits = await webCrypto().deriveBits(derivation(namespace, 'id'), key, keyIdBytes * 8)
  return { id: toHex(new Uint8Array(bits)), namespace, root: key }
}

async function importRoot(rootKey: RootKey): Promise<CryptoKey> {
  checkRootKey(rootKey)
  return webCrypto().importKey('raw', rootKey, 'HKDF', false, ['deriveBits', 'deriveKey'])
}

/** Derives a key for one purpose. It reveals nothing about the keys for other purposes or namespaces. */
export function deriveHmacKey({ root, namespace }: SyncKeys, purpose: string): Promise<CryptoKey> {
  return webCrypto().deriveKey(
    derivation(namespace, purpose),
    root,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign'],
  )
}

/** Like {@link deriveHmacKey}. */
export function deriveAesKey({ root, namespace }: SyncKeys, purpose: string): Promise<CryptoKey> {
  return webCrypto().deriveKey(derivation(namespace, purpose), root, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
}

const derivation = (namespace: string, purpose: string): HkdfParams => ({
  name: 'HKDF',
  hash: 'SHA-256',
  salt: bytesOf(namespace),
  info: bytesOf(`keepsession sync 1\0${purpose}`),
})
