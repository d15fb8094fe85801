import { SessionError } from '../contract/errors.ts'

/** SHA-256 of a blob's bytes in hex. Must not be awaited inside a transaction. */
export async function contentHash(blob: Blob): Promise<string> {
  const subtle = (globalThis.crypto as Crypto | undefined)?.subtle as SubtleCrypto | undefined
  if (subtle === undefined)
    throw new SessionError(
      'StorageUnavailable',
      'Blobs need crypto.subtle, which pages have only over https or on localhost.',
    )
  const digest = new Uint8Array(await subtle.digest('SHA-256', await blob.arrayBuffer()))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
