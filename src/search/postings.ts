/** The words of a segment, ascending: term `i` is `letters` from `starts[i]` to `starts[i + 1]`, its postings are `bytes` from `offsets[i]` on. */
export interface TermTable {
  readonly letters: string
  readonly starts: Uint32Array
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
}

/** A term and where it stands: pairs of document and position, ascending. */
export interface TermPostings {
  readonly term: string
  readonly places: readonly number[]
}

/** Gathers terms, in ascending order, as a {@link TermTable}. */
export interface PostingsWriter {
  add(term: string, places: readonly number[]): void
  end(): TermTable
}

/**
 * Postings are numbers of seven bits a byte, the highest bit says that more follow. For each document: the distance from the one before,
 * how often the term stands in it, and the distances between those places.
 */
export function createPostingsWriter(): PostingsWriter {
  let bytes = new Uint8Array(64 * 1024)
  let size = 0
  const names: string[] = []
  const offsets: number[] = []

  const put = (value: number): void => {
    let rest = value
    while (rest > 127) {
      bytes[size++] = (rest & 127) | 128
      rest >>>= 7
    }
    bytes[size++] = rest
  }
  return {
    add: (term, places) => {
      // No number takes more than five bytes, and there are at most three for each place.
      const most = size + places.length * 8
      if (most > bytes.length) {
        const larger = new Uint8Array(Math.max(most, bytes.length * 2))
        larger.set(bytes.subarray(0, size))
        bytes = larger
      }
      names.push(term)
      offsets.push(size)
      let before = 0
      for (let i = 0; i < places.length; ) {
        const document = places[i]!
        let end = i + 2
        while (places[end] === document) end += 2
        put(document - before)
        put((end - i) / 2)
        before = document
        let last = 0
        for (; i < end; i += 2) {
          put(places[i + 1]! - last)
          last = places[i + 1]!
        }
      }
    },
    end: () => {
      const starts = new Uint32Array(names.length + 1)
      let length = 0
      for (const [i, name] of names.entries()) {
        starts[i] = length
        length += name.length
      }
      starts[names.length] = length
      return { letters: names.join(''), starts, offsets: Uint32Array.from([...offsets, size]), bytes: bytes.slice(0, size) }
    },
  }
}

export function writePostings(terms: readonly TermPostings[]): TermTable {
  const writer = createPostingsWriter()
  for (const { term, places } of terms) writer.add(term, places)
  return writer.end()
}

/** Where a term stands in one document. The positions are good until the next document is visited. */
export type PostingVisitor = (document: number, count: number, positions: readonly number[]) => void

/**
 * Goes over the postings of term `i`.
 *
 * @param wantsPositions - whether the positions in this document are needed: else they are passed over
 */
export function readPostings({ offsets, bytes }: TermTable, i: number, visit: PostingVisitor, wantsPositions: (document: number) => boolean): void {
  const end = offsets[i + 1]!
  let at = offsets[i]!
  let document = 0
  const positions: number[] = []

  const read = (): number => {
    let byte = bytes[at++]!
    if (byte < 128) return byte
    let value = byte & 127
    for (let shift = 7; ; shift += 7) {
      byte = bytes[at++]!
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
  }
  while (at < end) {
    document += read()
    const count = read()
    if (wantsPositions(document)) {
      positions.length = 0
      let position = 0
      for (let n = 0; n < count; n++) positions.push((position += read()))
    } else {
      for (let n = 0; n < count; ) if (bytes[at++]! < 128) n++
    }
    visit(document, count, positions)
  }
}
