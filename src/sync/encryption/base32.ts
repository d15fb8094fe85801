import type { Bytes } from './bytes.ts'

/** Crockford's alphabet. It leaves out letters that look like others, and reads them as what they look like. */
export const base32Letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A multiple of five bytes gives a whole number of letters. */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += base32Letters[(held >> (bits - 5)) & 31]!
    held &= 0xff
  }
  return text
}

/** Normalizes letters as a person types them, and removes what separates groups. */
export function tidyBase32(text: string): string {
  return text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0')
}

/** @param text - normalized @returns the bytes, or the first letter that is not in the alphabet */
export function fromBase32(text: string): Bytes | string {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8))
  let bits = 0
  let held = 0
  let at = 0
  for (const letter of text) {
    const value = base32Letters.indexOf(letter)
    if (value < 0) return letter
    held = ((held << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (held >> bits) & 0xff
  }
  return bytes
}
