const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/**
 * CRC-32 of bytes that arrive in pieces, as in zip and gzip.
 *
 * @param before - the checksum of the pieces before
 */
export function byteChecksum(bytes: Uint8Array, before = 0): number {
  let crc = ~before
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[i] as number)) & 0xff] as number)
  return ~crc >>> 0
}
