import { toBase64url } from './base64url.ts'
import { bytesOf } from './bytes.ts'
import { deriveHmacKey, type SyncKeys } from './sync-keys.ts'
import { webCrypto } from './web-crypto.ts'

/** 128 bits: no two sessions ever share a document. */
const idBytes = 16

/**
 * The session's part of its document's name under encryption. The server cannot tell which session it is, nor that it
 * is the same session under another root key.
 *
 * @param key - the session's canonical key
 */
export async function sealedDocumentId(key: string, keys: SyncKeys): Promise<string> {
  const hmac = await deriveHmacKey(keys, 'session names')
  return toBase64url(new Uint8Array(await webCrypto().sign('HMAC', hmac, bytesOf(key))).subarray(0, idBytes))
}
