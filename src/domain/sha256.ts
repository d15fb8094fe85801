// The class alone: the function around it brings options and object identifiers, which a page would load for nothing.
import { _SHA256 as Sha256 } from '@noble/hashes/sha2.js'

/** The SHA-256 of texts one after the other, as UTF-8, in hex. Synchronous, because `crypto.subtle` is not, and is missing on plain HTTP pages. */
export function sha256(texts: Iterable<string>): string {
  const hash = new Sha256()
  const encoder = new TextEncoder()
  for (const text of texts) hash.update(encoder.encode(text))
  return [...hash.digest()].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
