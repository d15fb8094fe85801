/** 128 bits: no two sessions ever share a document. */
const idBytes = 16

/**
 * The part of a document's name that stands for a session: the first 16 bytes of the SHA-256 of its key, in hex. Keys
 * may contain anything, names may not.
 */
export async function sessionDocumentId(key: string): Promise<string> {
  // Missing on plain HTTP pages. Only these load another implementation.
  const { subtle } = globalThis.crypto as Partial<Crypto>
  if (subtle === undefined) return (await import('../domain/sha256.ts')).sha256([key]).slice(0, idBytes * 2)
  const hash = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(key)), 0, idBytes)
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
