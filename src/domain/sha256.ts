// Only the class is imported: the function around it brings options and object identifiers, which a page would load for
// nothing.
import { _SHA256 as Sha256 } from '@noble/hashes/sha2.js'

/** The state of a digest of ASCII text. It can be continued without the text so far. */
export interface Sha256State {
  /** The eight words, in hex. */
  readonly words: string
  /** The bytes since the last whole block. */
  readonly rest: string
  /** The number of bytes so far. */
  readonly length: number
}

export interface Sha256Digest {
  update(bytes: Uint8Array): void
  /** The digest in hex of the text so far; more may come. */
  hex(): string
  state(): Sha256State
}

/** A subclass, because the library declares these members as protected. */
class ResumableSha256 extends Sha256 {
  resume({ words, rest, length }: Sha256State): this {
    const word = (i: number): number => Number.parseInt(words.slice(8 * i, 8 * i + 8), 16)
    this.set(word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7))
    this.buffer.set(new TextEncoder().encode(rest))
    this.pos = rest.length
    this.length = length
    return this
  }

  state(): Sha256State {
    return {
      words: this.get()
        .map((word) => (word >>> 0).toString(16).padStart(8, '0'))
        .join(''),
      rest: new TextDecoder().decode(this.buffer.subarray(0, this.pos)),
      length: this.length,
    }
  }
}

/**
 * SHA-256 of bytes that come piece by piece. It is synchronous, because `crypto.subtle` is not, and is missing on plain
 * HTTP pages. @param from - the state to continue from
 */
export function createSha256(from?: Sha256State): Sha256Digest {
  const hash = new ResumableSha256()
  if (from !== undefined) hash.resume(from)
  return {
    update: (bytes) => void hash.update(bytes),
    hex: () => Array.from(hash.clone().digest(), (byte) => byte.toString(16).padStart(2, '0')).join(''),
    state: () => hash.state(),
  }
}

/** Bytes that are hashed at once. */
const blockSize = 64

/** The state after more ASCII text. Hashing starts once a block is full, so that most short texts cost next to nothing. */
export function withText(state: Sha256State, text: string): Sha256State {
  const { words, rest, length } = state
  if (rest.length + text.length < blockSize) return { words, rest: rest + text, length: length + text.length }
  const hash = createSha256(state)
  hash.update(new TextEncoder().encode(text))
  return hash.state()
}

/** The SHA-256 of texts one after the other, as UTF-8, in hex. */
export function sha256(texts: Iterable<string>): string {
  const hash = createSha256()
  const encoder = new TextEncoder()
  for (const text of texts) hash.update(encoder.encode(text))
  return hash.hex()
}
