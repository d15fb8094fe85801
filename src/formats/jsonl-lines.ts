import type { ByteSource } from './byte-source.ts'
import { readBytes } from './byte-source.ts'

/**
 * The maximum size of a line in bytes. A longer one is not kept, so that memory is bounded whatever the file contains.
 */
export const lineLimit = 16 * 1024 * 1024

/** How many bytes of a line over the limit are kept. */
const headBytes = 1024

const lineFeed = 0x0a

export interface JsonlLine {
  /** From 1. */
  readonly number: number
  /** Where it begins in the source, in bytes. */
  readonly offset: number
  /** Its bytes without the line feed. */
  readonly bytes: number
  /**
   * Without its line break and byte order mark; invalid UTF-8 becomes U+FFFD. Only the beginning of a line over the
   * limit.
   */
  readonly text: string
  readonly isTooLong: boolean
  /** Whether a line break follows: a last line without one may be incomplete. */
  readonly isTerminated: boolean
}

export interface LineSplitter {
  /** Takes the next bytes and returns the lines that they complete. Keeps no reference to the bytes. */
  push(bytes: Uint8Array): JsonlLine[]
  /** The last line, when the source doesn't end in a line break. */
  end(): JsonlLine[]
  /** Bytes so far of the line that is not complete yet. */
  pendingBytes(): number
}

/**
 * Splits bytes into lines, which do not depend on how the bytes are split. Works on bytes, because a line feed is never
 * part of another character in UTF-8; each line is decoded as a whole.
 */
export function createLineSplitter(limit = lineLimit): LineSplitter {
  const decoder = new TextDecoder()
  let number = 0
  let offset = 0
  let bytes = 0
  let parts: Uint8Array[] = []

  /** Adds a part of the current line. */
  function keep(part: Uint8Array): void {
    const wasTooLong = bytes > limit
    bytes += part.length
    if (bytes <= limit) parts.push(part)
    else if (!wasTooLong) parts = [joined([...parts, part], Math.min(headBytes, limit))]
  }

  function close(isTerminated: boolean): JsonlLine {
    const isTooLong = bytes > limit
    const text = decoder.decode(parts.length === 1 ? parts[0] : joined(parts))
    const line = {
      number: ++number,
      offset,
      bytes,
      text: text.endsWith('\r') ? text.slice(0, -1) : text,
      isTooLong,
      isTerminated,
    }
    offset += bytes + (isTerminated ? 1 : 0)
    bytes = 0
    parts = []
    return line
  }

  return {
    push(chunk) {
      const lines: JsonlLine[] = []
      let from = 0
      for (let to = chunk.indexOf(lineFeed); to >= 0; to = chunk.indexOf(lineFeed, from)) {
        keep(chunk.subarray(from, to))
        lines.push(close(true))
        from = to + 1
      }
      // Copied if it is kept, because the caller may reuse the buffer of the chunk.
      if (from < chunk.length) keep(bytes > limit ? chunk.subarray(from) : chunk.slice(from))
      return lines
    },
    end: () => (bytes === 0 ? [] : [close(false)]),
    pendingBytes: () => bytes,
  }
}

/** Lines that were read together, and the number of bytes read so far. */
export interface LineBatch {
  readonly lines: readonly JsonlLine[]
  readonly readBytes: number
  /** Bytes so far of the line that is not complete yet. */
  readonly pendingBytes: number
}

/**
 * Reads the lines of a source, one batch for each piece of it.
 *
 * @throws Aborted, InvalidInput as {@link readBytes}
 */
export async function* readLines(
  source: ByteSource,
  signal?: AbortSignal,
  limit = lineLimit,
): AsyncGenerator<LineBatch, void, undefined> {
  const splitter = createLineSplitter(limit)
  let read = 0
  for await (const piece of readBytes(source, signal)) {
    read += piece.length
    yield { lines: splitter.push(piece), readBytes: read, pendingBytes: splitter.pendingBytes() }
  }
  yield { lines: splitter.end(), readBytes: read, pendingBytes: 0 }
}

function joined(parts: readonly Uint8Array[], most = Number.POSITIVE_INFINITY): Uint8Array {
  const whole = new Uint8Array(
    Math.min(
      most,
      parts.reduce((sum, { length }) => sum + length, 0),
    ),
  )
  let at = 0
  for (const part of parts) {
    const taken = part.subarray(0, whole.length - at)
    whole.set(taken, at)
    at += taken.length
  }
  return whole
}
