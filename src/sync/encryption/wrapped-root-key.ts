import { SessionError } from '../../contract/errors.ts'
import { type Bytes, bytesOf } from './bytes.ts'
import { checkRootKey, type RootKey } from './root-key.ts'
import { webCrypto } from './web-crypto.ts'

const place = bytesOf('keepsession root key 1')
const nonceBytes = 12

/**
 * Encrypts a root key with a key of the device (AES-GCM, need not be extractable), so that the device may store it and
 * pair another device later.
 *
 * @throws InvalidInput
 */
export async function wrapRootKey(rootKey: RootKey, deviceKey: CryptoKey): Promise<Bytes> {
  checkRootKey(rootKey)
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes))
  return bytesOf(
    iv,
    new Uint8Array(await webCrypto().encrypt({ name: 'AES-GCM', iv, additionalData: place }, deviceKey, rootKey)),
  )
}

/** @throws WrongPassphrase when it was wrapped with another key, or changed */
export async function unwrapRootKey(wrapped: Bytes, deviceKey: CryptoKey): Promise<RootKey> {
  const iv = wrapped.subarray(0, nonceBytes)
  try {
    const rootKey = new Uint8Array(
      await webCrypto().decrypt(
        { name: 'AES-GCM', iv, additionalData: place },
        deviceKey,
        wrapped.subarray(nonceBytes),
      ),
    )
    checkRootKey(rootKey)
    return rootKey
  } catch (cause) {
    throw new SessionError(
      'WrongPassphrase',
      'The stored root key does not open with the key of this device. Pair the device again, or ask for the recovery text.',
      { cause },
    )
  }
}
