import { subtleHere } from './subtle-here.ts'

const nonceBytes = 12

const encoder = new TextEncoder()

/**
 * Encrypts with AES-GCM. A fresh nonce comes first in the result.
 *
 * @param place - where the bytes belong. It is authenticated too, so that the bytes can't be decrypted at another place
 */
export async function encrypt(
  key: CryptoKey,
  bytes: Uint8Array<ArrayBuffer>,
  place: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(nonceBytes))
  const sealed = new Uint8Array(
    await subtleHere().encrypt({ name: 'AES-GCM', iv, additionalData: encoder.encode(place) }, key, bytes),
  )
  const whole = new Uint8Array(nonceBytes + sealed.length)
  whole.set(iv)
  whole.set(sealed, nonceBytes)
  return whole
}

/** @throws OperationError when the key or the place differs, or a bit was changed */
export async function decrypt(
  key: CryptoKey,
  bytes: Uint8Array<ArrayBuffer>,
  place: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const [iv, sealed] = [bytes.subarray(0, nonceBytes), bytes.subarray(nonceBytes)]
  return new Uint8Array(
    await subtleHere().decrypt({ name: 'AES-GCM', iv, additionalData: encoder.encode(place) }, key, sealed),
  )
}
