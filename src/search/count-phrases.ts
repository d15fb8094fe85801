import type { FoundTerm } from './find-terms.ts'
import { type DocumentCounts, readDocuments, readPostings, type TermTable } from './postings.ts'
import type { Segment } from './segment.ts'

/** Places where a phrase may start, document by document. */
interface Starts {
  /** The part of `places` that belongs to a document; both are 0 when it has none. */
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly places: Uint32Array
}

/**
 * Counts where the elements of a clause are neighbours. Every element but the last has one term, because only the last
 * may be a prefix. The documents that have all elements are found first, so that only their positions are read.
 *
 * @param room - holds the counts, and serves as scratch memory meanwhile
 */
export function countPhrases(
  { documents, terms }: Segment,
  elements: readonly (readonly FoundTerm[])[],
  room: DocumentCounts,
): DocumentCounts {
  const count = documents.lengths.length
  const having = havingAll(terms, elements, count, room)
  if (having.every((one) => one === 0)) return { ...room, size: 0 }
  const isWanted = (document: number): boolean => having[document] === 1
  const sizeOf = (place: number): number =>
    terms.offsets[elements[place]![0]!.index + 1]! - terms.offsets[elements[place]![0]!.index]!
  const first = elements.slice(0, -1).reduce((rarest, _, place) => (sizeOf(place) < sizeOf(rarest) ? place : rarest), 0)
  const starts = startsOf(terms, elements[first]![0]!.index, first, count, isWanted)
  let left = new Uint8Array(starts.places.length).fill(1)
  for (const [place, found] of elements.entries()) {
    if (place === first) continue
    const next = new Uint8Array(left.length)
    for (const { index } of found) mark(terms, index, place, starts, left, next, isWanted)
    left = next
  }
  let size = 0
  for (let document = 0; document < count; document++) {
    let times = 0
    for (let i = starts.from[document]!; i < starts.to[document]!; i++) times += left[i]!
    if (times === 0) continue
    room.documents[size] = document
    room.counts[size++] = times
  }
  room.size = size
  return room
}

/** Marks with 1 each document that has a term of every element. */
function havingAll(
  terms: TermTable,
  elements: readonly (readonly FoundTerm[])[],
  count: number,
  room: DocumentCounts,
): Uint8Array {
  let having = new Uint8Array(count).fill(1)
  for (const found of elements) {
    const next = new Uint8Array(count)
    for (const { index } of found) {
      readDocuments(terms, index, room)
      for (let i = 0; i < room.size; i++) {
        const document = room.documents[i]!
        next[document] = having[document]!
      }
    }
    having = next
  }
  return having
}

/** Where the phrase would start, for each place of a term. */
function startsOf(
  terms: TermTable,
  index: number,
  place: number,
  count: number,
  isWanted: (document: number) => boolean,
): Starts {
  // Each place takes at least a byte.
  const places = new Uint32Array(terms.offsets[index + 1]! - terms.offsets[index]!)
  const from = new Uint32Array(count)
  const to = new Uint32Array(count)
  let size = 0
  readPostings(
    terms,
    index,
    (document, times, positions) => {
      if (!isWanted(document)) return
      from[document] = size
      for (let i = 0; i < times; i++) if (positions[i]! >= place) places[size++] = positions[i]! - place
      to[document] = size
    },
    isWanted,
  )
  return { from, to, places: places.subarray(0, size) }
}

/** Marks the starts that have a term at this distance. Both lists ascend, so that each is read once. */
function mark(
  terms: TermTable,
  index: number,
  place: number,
  { from, to, places }: Starts,
  left: Uint8Array,
  marks: Uint8Array,
  isWanted: (document: number) => boolean,
): void {
  readPostings(
    terms,
    index,
    (document, times, positions) => {
      if (!isWanted(document)) return
      const end = to[document]!
      for (let at = from[document]!, i = 0; at < end && i < times; ) {
        const distance = positions[i]! - place - places[at]!
        if (distance === 0 && left[at] === 1) marks[at] = 1
        if (distance <= 0) i++
        if (distance >= 0) at++
      }
    },
    isWanted,
  )
}
