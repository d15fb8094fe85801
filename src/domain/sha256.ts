// The class alone: the function around it brings options and object identifiers, which a page would load for nothing.
import { _SHA256 as Sha256 } from '@noble/hashes/sha2.js'

export interface Sha256Digest {
  update(bytes: Uint8Array): void
  /** The digest in hex of what came so far; more may come. */
  hex(): string
}

/** SHA-256 of bytes that come piece by piece. Synchronous, because `crypto.subtle` is not, and is missing on plain HTTP pages. */
export function createSha256(): Sha256Digest {
  const hash = new Sha256()
  return { update: (bytes) => void hash.update(bytes), hex: () => Array.from(hash.clone().digest(), (byte) => byte.toString(16).padStart(2, '0')).join('') }
}

/** The SHA-256 of texts one after the other, as UTF-8, in hex. */
export function sha256(texts: Iterable<string>): string {
  const hash = createSha256()
  const encoder = new TextEncoder()
  for (const text of texts) hash.update(encoder.encode(text))
  return hash.hex()
}
