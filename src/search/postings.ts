/** Words, ascending and each once: term `i` is `letters` from `starts[i]` to `starts[i + 1]`. */
export interface TermList {
  readonly letters: string
  readonly starts: Uint32Array
}

/**
 * The words of a segment. The postings of term `i` start at `offsets[i]` in `bytes`. They are numbers of seven bits a
 * byte, whose highest bit tells that more bytes follow: first the length of the first part in bytes; then, in the first
 * part, for each document its distance from the one before and how often it has the term; then the distances between
 * the positions, document by document.
 */
export interface TermTable extends TermList {
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
}

/** The number of terms. */
export const termCount = ({ starts }: TermList): number => starts.length - 1

export const termAt = ({ letters, starts }: TermList, i: number): string => letters.slice(starts[i], starts[i + 1])

/** Makes a list of terms, which must be ascending and unique. */
export function listTerms(terms: readonly string[]): TermList {
  const starts = new Uint32Array(terms.length + 1)
  for (const [i, { length }] of terms.entries()) starts[i + 1] = starts[i]! + length
  return { letters: terms.join(''), starts }
}

/**
 * Receives the positions of a term in one document. The first `count` positions, ascending, belong to it. They are
 * valid until the next document is visited.
 */
export type PostingVisitor = (document: number, count: number, positions: ArrayLike<number>) => void

/**
 * Visits the postings of term `i`.
 *
 * @param wantsPositions - whether the positions in a document are needed. Absent: in none, which is several times as
 * fast
 */
export function readPostings(
  { offsets, bytes }: TermTable,
  i: number,
  visit: PostingVisitor,
  wantsPositions?: (document: number) => boolean,
): void {
  const reader = { bytes, at: offsets[i]! }
  const documentsEnd = readNumber(reader) + reader.at
  const places = { bytes, at: documentsEnd }
  const positions: number[] = []
  for (let document = 0; reader.at < documentsEnd; ) {
    document += readNumber(reader)
    const count = readNumber(reader)
    if (wantsPositions?.(document) === true) {
      for (let n = 0, position = 0; n < count; n++) positions[n] = position += readNumber(places)
    } else if (wantsPositions !== undefined) {
      for (let n = 0; n < count; ) if (bytes[places.at++]! < 128) n++
    }
    visit(document, count, positions)
  }
}

/** Documents by number, ascending, and a count for each. Only the first `size` entries are valid. */
export interface DocumentCounts {
  readonly documents: Uint32Array
  readonly counts: Uint32Array
  size: number
}

/** Makes room for so many documents. */
export const roomFor = (count: number): DocumentCounts => ({
  documents: new Uint32Array(count),
  counts: new Uint32Array(count),
  size: 0,
})

/**
 * Replaces the content of `into` with the documents of term `i`. For terms that half of the documents have, this is
 * several times as fast as a call for each document.
 */
export function readDocuments({ offsets, bytes }: TermTable, i: number, into: DocumentCounts): void {
  const { documents, counts } = into
  const reader = { bytes, at: offsets[i]! }
  const end = readNumber(reader) + reader.at
  let at = reader.at
  let size = 0
  for (let document = 0; at < end; size++) {
    let byte = bytes[at++]!
    let value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
    }
    document += value
    documents[size] = document
    byte = bytes[at++]!
    value = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
    }
    counts[size] = value
  }
  into.size = size
}

interface Reader {
  readonly bytes: Uint8Array
  at: number
}

function readNumber(reader: Reader): number {
  const { bytes } = reader
  let byte = bytes[reader.at++]!
  if (byte < 128) return byte
  let value = byte & 127
  for (let shift = 7; ; shift += 7) {
    byte = bytes[reader.at++]!
    value |= (byte & 127) << shift
    if (byte < 128) return value
  }
}

/** Builds a {@link TermTable}. */
export interface PostingsWriter {
  /** Starts a term, which must be above the terms before. A term without documents is left out. */
  begin(term: string): void
  /**
   * Adds a document, which must be above the ones before, with its positions from one index to another. It takes
   * indexes because a million views of arrays would be slow.
   */
  add(document: number, positions: ArrayLike<number>, from: number, to: number): void
  /** Adds the postings of term `i` of a table, with `shift` added to each document's number. */
  addAll(table: TermTable, i: number, shift: number): void
  end(): TermTable
}

export function createPostingsWriter(): PostingsWriter {
  const all = createBytes()
  const documents = createBytes()
  const places = createBytes()
  const names: string[] = []
  const offsets: number[] = []
  let term = ''
  let before = 0

  function finish(): void {
    if (documents.size() === 0) return
    names.push(term)
    offsets.push(all.size())
    all.put(documents.size())
    documents.moveTo(all)
    places.moveTo(all)
  }
  return {
    begin: (next) => {
      finish()
      term = next
      before = 0
    },
    add: (document, positions, from, to) => {
      documents.put(document - before)
      documents.put(to - from)
      before = document
      for (let i = from, last = 0; i < to; i++) {
        places.put(positions[i]! - last)
        last = positions[i]!
      }
    },
    addAll: (table, i, shift) => {
      const { bytes, offsets: from } = table
      const reader = { bytes, at: from[i]! }
      const documentsEnd = readNumber(reader) + reader.at
      documents.put(shift + readNumber(reader) - before)
      documents.append(bytes, reader.at, documentsEnd)
      places.append(bytes, documentsEnd, from[i + 1]!)
      readPostings(table, i, (document) => void (before = shift + document))
    },
    end: () => {
      finish()
      offsets.push(all.size())
      return { ...listTerms(names), offsets: Uint32Array.from(offsets), bytes: all.copy() }
    },
  }
}

/** A growing list of bytes. */
interface Bytes {
  put(value: number): void
  append(other: Uint8Array, from: number, to: number): void
  size(): number
  /** Moves all bytes to the end of another list. */
  moveTo(other: Bytes): void
  copy(): Uint8Array
}

function createBytes(): Bytes {
  let bytes = new Uint8Array(1024)
  let size = 0
  const reserve = (more: number): void => {
    if (size + more <= bytes.length) return
    const larger = new Uint8Array(Math.max(size + more, bytes.length * 2))
    larger.set(bytes)
    bytes = larger
  }
  return {
    put: (value) => {
      reserve(5)
      let rest = value
      while (rest > 127) {
        bytes[size++] = (rest & 127) | 128
        rest >>>= 7
      }
      bytes[size++] = rest
    },
    append: (other, from, to) => {
      reserve(to - from)
      // Making a view of a few bytes takes longer than copying them.
      if (to - from < 64) for (let i = from; i < to; i++) bytes[size++] = other[i]!
      else {
        bytes.set(other.subarray(from, to), size)
        size += to - from
      }
    },
    size: () => size,
    moveTo: (other) => {
      other.append(bytes, 0, size)
      size = 0
    },
    copy: () => bytes.slice(0, size),
  }
}
