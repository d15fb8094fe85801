/** The most that a row of a collection holds, in bytes. */
const mostBytes = 8 * 1024 * 1024

/** Cuts bytes into what rows can hold: one piece at least. */
export function cutPieces(bytes: Uint8Array): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += mostBytes) pieces.push(bytes.subarray(at, at + mostBytes))
  return pieces
}

/** Also undoes {@link cutPieces}. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
