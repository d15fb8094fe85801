import { toBase64url } from './base64url.ts'
import { bytesOf } from './bytes.ts'
import { deriveHmacKey, type SyncKeys } from './sync-keys.ts'
import { webCrypto } from './web-crypto.ts'

/** 128 bits: no two sessions ever share a document. */
const idBytes = 16

/**
 * A session's part of its document's name under encryption: the server can't tell which session it is, nor even that one is the same under another root key.
 *
 * @param key - the session's canonical key
 */
export async function sealedDocumentId(key: string, keys: SyncKeys): Promise<string> {
  const hmac = await deriveHmacKey(keys, 'session names')
  return toBase64url(new Uint8Array(await webCrypto().sign('HMAC', hmac, bytesOf(key))).subarray(0, idBytes))
}
