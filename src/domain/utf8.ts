import { textPiece } from './text-piece.ts'

/** The bytes that JSON escaping adds to each ASCII character: `\n` one, `\u0001` five. */
const escapeBytes = new Uint8Array(0x80).fill(5, 0, 0x20)
for (const escaped of '\b\t\n\f\r"\\') escapeBytes[escaped.charCodeAt(0)] = 1

/** Whether a surrogate pair begins at this index, given the code unit there. */
function isPair(text: string, index: number, unit: number): boolean {
  return unit < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
}

const encoder = new TextEncoder()
/** Scratch space, empty between calls. */
const scratch = new Uint8Array(16 * 1024)

/** Texts from this length on are counted by the encoder, which takes a third of the time. */
const longText = 200

/** Length of a text in UTF-8 bytes. A lone surrogate counts 3, as the U+FFFD that an encoder writes for it. */
export function utf8Length(text: string): number {
  return text.length < longText ? countedLength(text) : encodedLength(text)
}

function encodedLength(text: string): number {
  let bytes = 0
  for (let from = 0; from < text.length; ) {
    const { read, written } = encoder.encodeInto(textPiece(text, from, scratch.length), scratch)
    from += read
    bytes += written
  }
  return bytes
}

function countedLength(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    bytes += unit < 0x800 ? 1 : 2
    if ((unit & 0xf800) === 0xd800 && isPair(text, i, unit)) i++
  }
  return bytes
}

/**
 * Length in UTF-8 bytes of `JSON.stringify(text)`, quotes and escapes included. A lone surrogate counts 6 (`\ud800`).
 */
export function jsonStringBytes(text: string): number {
  return text.length < longText ? countedJsonBytes(text) : encodedLength(JSON.stringify(text))
}

function countedJsonBytes(text: string): number {
  let bytes = text.length + 2
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += escapeBytes[unit] as number
    else if (unit < 0x800) bytes += 1
    else if ((unit & 0xf800) !== 0xd800) bytes += 2
    else if (isPair(text, i, unit)) {
      bytes += 2
      i++
    } else bytes += 5
  }
  return bytes
}
