const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/**
 * The CRC-32 of zip and PNG, which shows whether a frame is complete. Node itself has one only since 20.15.
 *
 * @param {Uint8Array} bytes
 * @returns {number} unsigned
 */
export function frameChecksum(bytes) {
  let crc = ~0
  for (const byte of bytes) crc = (crc >>> 8) ^ /** @type {number} */ (TABLE[(crc ^ byte) & 0xff])
  return ~crc >>> 0
}
