/** Bytes that WebCrypto accepts: never in shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/** Concatenates these pieces; texts as UTF-8. */
export function bytesOf(...pieces: readonly (string | Uint8Array)[]): Bytes {
  const parts = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece))
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
