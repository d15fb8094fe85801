import { sameBytes } from '../same-bytes.ts'
import { type Bytes, bytesOf } from './bytes.ts'
import { deriveAesKey, deriveHmacKey, type SyncKeys } from './sync-keys.ts'
import { webCrypto } from './web-crypto.ts'

const ivBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM under an IV that is made of what is sealed and of where it belongs: the same content in the same place is the same bytes, on each device and
 * each time, and no IV ever serves two contents (but with the odds of two equal 96-bit hashes). `iv ‖ ciphertext ‖ tag`.
 */
export interface DeterministicCipher {
  seal(plain: Bytes, place: string): Promise<Bytes>
  /** @returns `undefined` when it was not sealed by this key for this place */
  open(sealed: Uint8Array, place: string): Promise<Bytes | undefined>
}

/** @param purpose - what its keys are for; a place must not have a NUL in it */
export function createDeterministicCipher(keys: SyncKeys, purpose: string): DeterministicCipher {
  const made = Promise.all([deriveAesKey(keys, `${purpose} aes`), deriveHmacKey(keys, `${purpose} iv`)])
  // Whoever calls is told.
  made.catch(() => undefined)

  const ivOf = async (hmac: CryptoKey, plain: Bytes, place: string): Promise<Bytes> => new Uint8Array(await webCrypto().sign('HMAC', hmac, bytesOf(place, '\0', plain))).slice(0, ivBytes)

  return {
    seal: async (plain, place) => {
      const [aes, hmac] = await made
      const iv = await ivOf(hmac, plain, place)
      return bytesOf(iv, new Uint8Array(await webCrypto().encrypt({ name: 'AES-GCM', iv, additionalData: bytesOf(place) }, aes, plain)))
    },
    open: async (sealed, place) => {
      if (sealed.length < ivBytes + tagBytes) return undefined
      const [aes, hmac] = await made
      const bytes = sealed.slice()
      const iv = bytes.subarray(0, ivBytes)
      const opened = await webCrypto().decrypt({ name: 'AES-GCM', iv, additionalData: bytesOf(place) }, aes, bytes.subarray(ivBytes)).catch(() => undefined)
      if (opened === undefined) return undefined
      const plain = new Uint8Array(opened)
      // Another IV would be other bytes for the same content: what this device makes of it were not what the others have.
      return sameBytes(iv, await ivOf(hmac, plain, place)) ? plain : undefined
    },
  }
}
