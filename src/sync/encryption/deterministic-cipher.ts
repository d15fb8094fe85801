import { sameBytes } from '../same-bytes.ts'
import { type Bytes, bytesOf } from './bytes.ts'
import { deriveAesKey, deriveHmacKey, type SyncKeys } from './sync-keys.ts'
import { webCrypto } from './web-crypto.ts'

const ivBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM under an IV that is derived from the content and from its place: the same content in the same place gives
 * the same bytes, always and on every device, and no IV is ever used for two contents (except with the probability of
 * two equal 96-bit hashes). `iv ‖ ciphertext ‖ tag`.
 */
export interface DeterministicCipher {
  seal(plain: Bytes, place: string): Promise<Bytes>
  /** @returns `undefined` when it was not sealed by this key for this place */
  open(sealed: Uint8Array, place: string): Promise<Bytes | undefined>
}

/** @param purpose - what its keys are for; a place must not contain a NUL */
export function createDeterministicCipher(keys: SyncKeys, purpose: string): DeterministicCipher {
  const made = Promise.all([deriveAesKey(keys, `${purpose} aes`), deriveHmacKey(keys, `${purpose} iv`)])
  // The caller of `seal` or `open` gets this error.
  made.catch(() => undefined)

  const ivOf = async (hmac: CryptoKey, plain: Bytes, place: string): Promise<Bytes> =>
    new Uint8Array(await webCrypto().sign('HMAC', hmac, bytesOf(place, '\0', plain))).slice(0, ivBytes)

  return {
    seal: async (plain, place) => {
      const [aes, hmac] = await made
      const iv = await ivOf(hmac, plain, place)
      return bytesOf(
        iv,
        new Uint8Array(await webCrypto().encrypt({ name: 'AES-GCM', iv, additionalData: bytesOf(place) }, aes, plain)),
      )
    },
    open: async (sealed, place) => {
      if (sealed.length < ivBytes + tagBytes) return undefined
      const [aes, hmac] = await made
      const bytes = sealed.slice()
      const iv = bytes.subarray(0, ivBytes)
      const opened = await webCrypto()
        .decrypt({ name: 'AES-GCM', iv, additionalData: bytesOf(place) }, aes, bytes.subarray(ivBytes))
        .catch(() => undefined)
      if (opened === undefined) return undefined
      const plain = new Uint8Array(opened)
      // With another IV, the same content would have other bytes, and this device would not make the same bytes as the
      // others.
      return sameBytes(iv, await ivOf(hmac, plain, place)) ? plain : undefined
    },
  }
}
