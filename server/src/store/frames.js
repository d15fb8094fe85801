import { frameChecksum } from './frame-checksum.js'

/**
 * Bytes before the content of a frame: its length, the CRC-32 of the length, and the CRC-32 of the content; 32 bits
 * each, little-endian.
 */
const HEAD = 12

/**
 * Encodes one update, or other bytes that are not empty, with checksums that show whether they are complete.
 *
 * @param {Uint8Array} content
 * @returns {Uint8Array}
 */
export function frame(content) {
  const framed = new Uint8Array(HEAD + content.length)
  const head = new DataView(framed.buffer)
  head.setUint32(0, content.length, true)
  head.setUint32(4, frameChecksum(framed.subarray(0, 4)), true)
  head.setUint32(8, frameChecksum(content), true)
  framed.set(content, HEAD)
  return framed
}

/**
 * Decodes the frames at the start of these bytes, up to the first that is not complete.
 *
 * @param {Uint8Array} bytes
 * @returns {{ contents: Uint8Array[], length: number, damaged: boolean }} how far they reach; `damaged` when what follows is something
 * else than what a write that was cut off leaves behind: the start of one frame, or zeros
 */
export function readFrames(bytes) {
  const contents = []
  const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  while (at + HEAD <= bytes.length) {
    const end = at + HEAD + head.getUint32(at, true)
    // A head of zeros has no valid CRC, so that a tail of zeros is not taken for empty frames.
    if (frameChecksum(bytes.subarray(at, at + 4)) !== head.getUint32(at + 4, true))
      return { contents, length: at, damaged: !isZero(bytes.subarray(at)) }
    if (end > bytes.length) break
    const content = bytes.subarray(at + HEAD, end)
    if (frameChecksum(content) !== head.getUint32(at + 8, true))
      return { contents, length: at, damaged: !isZero(bytes.subarray(end)) }
    contents.push(content)
    at = end
  }
  return { contents, length: at, damaged: false }
}

/** @param {Uint8Array} bytes */
function isZero(bytes) {
  return bytes.every((byte) => byte === 0)
}
