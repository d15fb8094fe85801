import type { VersionVector } from '../contract/entry.ts'

/**
 * 16 hex digits that tell whether two devices know the same entries of a session. Not cryptographic, but fast, because
 * it is computed for every session at every start. A device that may write to the list can publish any hash anyway.
 */
export function vectorHash(vector: VersionVector): string {
  const text = Object.keys(vector)
    .sort()
    .map((writer) => `${writer} ${vector[writer]}`)
    .join()
  let [a, b] = [text.length, ~text.length]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(turned(a, 5) ^ code, 0x9e3779b1)
    b = Math.imul(turned(b, 13) ^ code, 0x85ebca77)
  }
  const first = spread(a ^ turned(b, 16))
  return hex(first) + hex(spread(b ^ first))
}

const turned = (bits: number, by: number): number => (bits << by) | (bits >>> (32 - by))

/** Lets every bit change half of the others. */
function spread(bits: number): number {
  const half = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return (whole ^ (whole >>> 16)) >>> 0
}

const hex = (bits: number): string => bits.toString(16).padStart(8, '0')
