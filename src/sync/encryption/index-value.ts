import type { JsonValue } from '../../contract/json.ts'
import { fromBase64url, toBase64url } from './base64url.ts'
import { bytesOf } from './bytes.ts'
import { createDeterministicCipher, type DeterministicCipher } from './deterministic-cipher.ts'
import { fromHex, toHex } from './hex.ts'
import { KeyMissing } from './key-missing.ts'
import { packValue, unpackValue } from './packed-value.ts'
import { keyIdBytes, type SyncKeys } from './sync-keys.ts'

const place = 'index'
const ciphers = new WeakMap<SyncKeys, DeterministicCipher>()

/**
 * Seals a value of the index document: `key id (8) ‖ iv (12) ‖ ciphertext ‖ tag (16)` in base64url. The same value
 * gives the same text.
 */
export async function sealIndexValue(keys: SyncKeys, value: JsonValue): Promise<string> {
  return toBase64url(bytesOf(fromHex(keys.id), await cipherOf(keys).seal(packValue(value), place)))
}

/**
 * @param ring - the current keys and, if there are any, the previous ones
 * @returns the value and its keys; `KeyMissing` when it was sealed with a key that is not in the ring; or what is wrong
 * with it. Never rejects.
 */
export async function openIndexValue(
  ring: readonly SyncKeys[],
  content: unknown,
): Promise<{ readonly value: JsonValue; readonly keys: SyncKeys } | KeyMissing | string> {
  const sealed = typeof content === 'string' ? fromBase64url(content) : undefined
  if (sealed === undefined || sealed.length < keyIdBytes) return 'it is not sealed'
  const id = toHex(sealed.subarray(0, keyIdBytes))
  const keys = ring.find((one) => one.id === id)
  if (keys === undefined) return new KeyMissing(id)
  try {
    const plain = await cipherOf(keys).open(sealed.subarray(keyIdBytes), place)
    const value = plain && unpackValue(plain)
    return value === undefined ? 'it was changed since it was sealed' : { value, keys }
  } catch {
    return new KeyMissing(id)
  }
}

function cipherOf(keys: SyncKeys): DeterministicCipher {
  const cipher = ciphers.get(keys) ?? createDeterministicCipher(keys, 'index')
  ciphers.set(keys, cipher)
  return cipher
}
