// The class alone: the function around it brings options and object identifiers, which nobody here needs.
import { _SHA256 as Sha256 } from '@noble/hashes/sha2.js'

export interface Sha256Digest {
  update(bytes: Uint8Array): void
  /** The digest in hex. Ends the hash. */
  hex(): string
}

/** SHA-256 of bytes that come piece by piece, which `crypto.subtle` can't do. */
export function createSha256(): Sha256Digest {
  const hash = new Sha256()
  return { update: (bytes) => void hash.update(bytes), hex: () => Array.from(hash.digest(), hexByte).join('') }
}

/** SHA-256 of a text's UTF-8 bytes, in hex. */
export function sha256Text(text: string): string {
  const hash = createSha256()
  hash.update(new TextEncoder().encode(text))
  return hash.hex()
}

function hexByte(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
