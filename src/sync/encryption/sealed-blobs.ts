import { createSha256 } from '../../domain/sha256.ts'
import type { BlobTransport } from '../link.ts'
import { bytesOf } from './bytes.ts'
import { createDeterministicCipher } from './deterministic-cipher.ts'
import { toHex } from './hex.ts'
import { deriveHmacKey, type SyncKeys } from './sync-keys.ts'
import { webCrypto } from './web-crypto.ts'

/**
 * Seals large content on its way out and opens it on its way in: `iv (12) ‖ ciphertext ‖ tag (16)`. Its name on the
 * server is an HMAC of its hash, so that nobody can find out who has a certain file. The name starts with `sealed-`,
 * which tells servers that it is not the hash of the bytes.
 */
export function sealedBlobs(keys: SyncKeys, blobs: BlobTransport): BlobTransport {
  const cipher = createDeterministicCipher(keys, 'blob')
  const nameOf = async (hash: string): Promise<string> =>
    `sealed-${toHex(new Uint8Array(await webCrypto().sign('HMAC', await deriveHmacKey(keys, 'blob names'), bytesOf(hash))))}`
  const placeOf = (hash: string): string => `blob/${hash}`

  return {
    hasBlob: async (namespace, hash) => blobs.hasBlob(namespace, await nameOf(hash)),
    putBlob: async (namespace, hash, bytes) => {
      const sealed = await cipher.seal(new Uint8Array(await bytes.arrayBuffer()), placeOf(hash))
      await blobs.putBlob(namespace, await nameOf(hash), new Blob([sealed]))
    },
    // Content that does not open, or does not match its hash, counts as missing: another device may have it.
    getBlob: async (namespace, hash) => {
      const sealed = await blobs.getBlob(namespace, await nameOf(hash))
      const plain = sealed && (await cipher.open(new Uint8Array(await sealed.arrayBuffer()), placeOf(hash)))
      return plain !== undefined && hashOf(plain) === hash ? new Blob([plain]) : undefined
    },
  }
}

function hashOf(bytes: Uint8Array): string {
  const digest = createSha256()
  digest.update(bytes)
  return digest.hex()
}
