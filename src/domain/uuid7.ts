/** The greatest time a UUID can carry: 48 bits. */
const lastMs = 2 ** 48 - 1

/**
 * Makes a generator of UUIDs version 7 (RFC 9562): 48 bits of milliseconds since 1970, then a counter of 32 bits, then 42 random bits;
 * lower case, with hyphens. The ids of one generator strictly ascend as text, also within a millisecond and when the clock goes back:
 * they then keep the latest time seen.
 *
 * @param now - milliseconds since 1970
 * @param randomBytes - fills the array it is given, as `crypto.getRandomValues` does; 10 bytes an id
 */
export function createUuid7(now: () => number, randomBytes: (into: Uint8Array<ArrayBuffer>) => void): () => string {
  const random = new Uint8Array(10)
  const view = new DataView(random.buffer)
  let ms = -1
  // Full, so the first id draws a counter whatever the clock says.
  let counter = 0xffffffff
  return () => {
    randomBytes(random)
    counter += 1
    const time = Math.min(Math.floor(now()), lastMs)
    if (time > ms || counter > 0xffffffff) {
      ms = time > ms ? time : ms + 1
      // Drawn from the lower half, so that at least 2^31 ids fit a millisecond before it must be borrowed from the next.
      counter = view.getUint32(0) >>> 1
    }
    const tail = (counter & 0x3f) * 2 ** 42 + (view.getUint16(4) & 0x3ff) * 2 ** 32 + view.getUint32(6)
    const time16 = hex(ms, 12)
    return `${time16.slice(0, 8)}-${time16.slice(8)}-7${hex(counter >>> 20, 3)}-${hex(0x8000 | ((counter >>> 6) & 0x3fff), 4)}-${hex(tail, 12)}`
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
