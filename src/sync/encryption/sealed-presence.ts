import type { JsonValue } from '../../contract/json.ts'
import type { PresenceCodec } from '../presence/presence-state.ts'
import { fromBase64url, toBase64url } from './base64url.ts'
import { bytesOf } from './bytes.ts'
import { deriveAesKey, type SyncKeys } from './sync-keys.ts'
import { webCrypto } from './web-crypto.ts'

const ivBytes = 12

/**
 * Seals who is here and what they type: `iv (12) ‖ ciphertext ‖ tag (16)` in base64url. The IV is random, because equal
 * states need not give equal bytes, and equal bytes would reveal that somebody is still here and does nothing.
 *
 * @param keysNow - returns the current keys, which may change while a session is open
 */
export function sealedPresence(keysNow: () => SyncKeys): PresenceCodec {
  const derived = new WeakMap<SyncKeys, Promise<CryptoKey>>()
  const keyNow = (): Promise<CryptoKey> => {
    const keys = keysNow()
    if (!derived.has(keys)) derived.set(keys, deriveAesKey(keys, 'presence'))
    return derived.get(keys)!
  }
  const placeOf = (id: string) => bytesOf(`presence/${id}`)
  return {
    write: async (state, id) => {
      const iv = globalThis.crypto.getRandomValues(new Uint8Array(ivBytes))
      const sealed = await webCrypto().encrypt(
        { name: 'AES-GCM', iv, additionalData: placeOf(id) },
        await keyNow(),
        bytesOf(JSON.stringify(state)),
      )
      return toBase64url(bytesOf(iv, new Uint8Array(sealed)))
    },
    read: async (content, id) => {
      const bytes = typeof content === 'string' ? fromBase64url(content) : undefined
      if (bytes === undefined || bytes.length <= ivBytes) return undefined
      const opened = await webCrypto()
        .decrypt(
          { name: 'AES-GCM', iv: bytes.subarray(0, ivBytes), additionalData: placeOf(id) },
          await keyNow(),
          bytes.subarray(ivBytes),
        )
        .catch(() => undefined)
      return opened === undefined ? undefined : (JSON.parse(new TextDecoder().decode(opened)) as JsonValue)
    },
  }
}
