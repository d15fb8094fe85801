/** Words, ascending and each once: term `i` is `letters` from `starts[i]` to `starts[i + 1]`. */
export interface TermList {
  readonly letters: string
  readonly starts: Uint32Array
}

/**
 * The words of a segment: the postings of term `i` are `bytes` from `offsets[i]` on. They are numbers of seven bits a byte, where the
 * highest bit says that more follow: how many bytes the first part has; then in the first part for each document the distance from the one
 * before and how often the term stands in it; then the distances between those places, document by document.
 */
export interface TermTable extends TermList {
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
}

/** How many terms there are. */
export const termCount = ({ starts }: TermList): number => starts.length - 1

export const termAt = ({ letters, starts }: TermList, i: number): string => letters.slice(starts[i], starts[i + 1])

/** Lists terms that are ascending and each there once. */
export function listTerms(terms: readonly string[]): TermList {
  const starts = new Uint32Array(terms.length + 1)
  for (const [i, { length }] of terms.entries()) starts[i + 1] = starts[i]! + length
  return { letters: terms.join(''), starts }
}

/** Where a term stands in one document. The first `count` positions, ascending, are its own, and good until the next document is visited. */
export type PostingVisitor = (document: number, count: number, positions: ArrayLike<number>) => void

/**
 * Goes over the postings of term `i`.
 *
 * @param wantsPositions - whether the positions in a document are needed. Absent: in none, which is several times as fast
 */
export function readPostings({ offsets, bytes }: TermTable, i: number, visit: PostingVisitor, wantsPositions?: (document: number) => boolean): void {
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

/** Documents by number, ascending, the first `size` of these, and how often each has what is counted. */
export interface DocumentCounts {
  readonly documents: Uint32Array
  readonly counts: Uint32Array
  size: number
}

/** Room for as many documents as a segment has. */
export const roomFor = (count: number): DocumentCounts => ({ documents: new Uint32Array(count), counts: new Uint32Array(count), size: 0 })

/** The documents of term `i`, in place of what is there: several times as fast as a call for each, for terms that half of them have. */
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

/** Gathers terms as a {@link TermTable}. */
export interface PostingsWriter {
  /** What follows is of this term, which is above those before. One of which nothing follows is left out. */
  begin(term: string): void
  /** Where it stands in a document, which is above those before: the positions from one index to another. No view is made of them: a million views are slow. */
  add(document: number, positions: ArrayLike<number>, from: number, to: number): void
  /** All that a table says of its term `i`, with this added to each document's number. */
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

/** Bytes that grow. */
interface Bytes {
  put(value: number): void
  append(other: Uint8Array, from: number, to: number): void
  size(): number
  /** Appends all of it to others, and is empty then. */
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
      // To make a view of a few bytes takes longer than to copy them.
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
