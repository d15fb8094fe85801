export function fillRandom(into: Uint8Array<ArrayBuffer>): void {
  globalThis.crypto.getRandomValues(into)
}

/** 53 random bits, never 0. */
export function createRandomInteger(randomBytes: (into: Uint8Array<ArrayBuffer>) => void): () => number {
  return () => {
    const bytes = new Uint8Array(8)
    randomBytes(bytes)
    const view = new DataView(bytes.buffer)
    return (view.getUint32(0) & 0x1fffff) * 2 ** 32 + view.getUint32(4) || 1
  }
}
