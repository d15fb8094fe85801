import { sha256 } from '../../domain/sha256.ts'
import { toBase64url } from './base64url.ts'
import { bytesOf } from './bytes.ts'
import { fromHex } from './hex.ts'
import { deriveHmacKey, type SyncKeys } from './sync-keys.ts'
import { webCrypto } from './web-crypto.ts'

/** 128 bits: no two sessions ever share a document. */
const idBytes = 16

/**
 * A session's part of its document's name. Under encryption the server can't tell which session it is, nor even that one is the same under another
 * root key; without, it is a hash, that fits into a name and keeps chat ids out of logs.
 *
 * @param key - the session's canonical key
 */
export async function sessionDocumentId(key: string, keys?: SyncKeys): Promise<string> {
  if (keys === undefined) return toBase64url(fromHex(sha256([key]).slice(0, idBytes * 2)))
  const hmac = await deriveHmacKey(keys, 'session names')
  return toBase64url(new Uint8Array(await webCrypto().sign('HMAC', hmac, bytesOf(key))).subarray(0, idBytes))
}
