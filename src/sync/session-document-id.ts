import { sha256 } from '../domain/sha256.ts'

/** The part of a document's name that stands for a session: the first 16 bytes of the SHA-256 of its key, in hex. Keys may be anything, names not. */
export function sessionDocumentId(key: string): string {
  return sha256([key]).slice(0, 32)
}
