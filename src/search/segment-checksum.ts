import type { Segment } from './segment.ts'

/**
 * A checksum that shows whether a stored segment is unchanged. It finds damage, not forgery. Throws when the value is
 * no segment at all.
 */
export function segmentChecksum({ documents, terms }: Segment): number {
  let sum = 0x811c9dc5
  const add = (value: number): void => void (sum = Math.imul(sum ^ value, 0x01000193))
  const addText = (text: string): void => {
    for (let i = 0; i < text.length; i++) add(text.charCodeAt(i))
    add(text.length)
  }
  const addAll = (values: Uint8Array | Uint32Array): void => {
    for (let i = 0; i < values.length; i++) add(values[i]!)
    add(values.length)
  }
  // The bytes are read four at a time, because there are tens of millions.
  const whole = terms.bytes.length >> 2
  addAll(new Uint32Array(terms.bytes.buffer, terms.bytes.byteOffset, whole))
  addAll(terms.bytes.subarray(whole * 4))
  addAll(terms.offsets)
  addAll(terms.starts)
  addText(terms.letters)
  addAll(documents.lengths)
  for (const texts of [documents.branches, documents.orders, documents.edits, documents.roles]) {
    add(texts.length)
    for (const text of texts) addText(text)
  }
  for (const times of [documents.sessions, documents.at])
    addAll(new Uint32Array(times.buffer, times.byteOffset, times.length * 2))
  return sum >>> 0
}
