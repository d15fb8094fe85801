/**
 * A 53-bit hash of a text: two 32-bit lanes (multiply and rotate for each UTF-16 unit, with other constants in each),
 * crossed and finished as in MurmurHash3. Every bit depends on every unit. It is synchronous, because `crypto.subtle`
 * is not, and is missing on plain HTTP pages.
 *
 * Not cryptographic: among n texts two share a hash with probability n² / 2^54 (5 in 10⁹ for 10,000), but collisions
 * can be made on purpose. Use it only where anyone who could do that could forge the hashed content as well.
 */
export function hash53(text: string): number {
  let high = 0x9e3779b9
  let low = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    high = rotated(Math.imul(high ^ unit, 0x9e3779b1), 15)
    low = rotated(Math.imul(low ^ unit, 0x85ebca77), 13)
  }
  high = mixed(high ^ text.length)
  low = mixed((low + high) | 0)
  high = mixed((high + low) | 0)
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0)
}

function rotated(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by))
}

function mixed(bits: number): number {
  const half = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  const most = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return most ^ (most >>> 16)
}
