import type { FoundTerm } from './find-terms.ts'
import { type DocumentCounts, readDocuments, readPostings, type TermTable } from './postings.ts'
import type { Segment } from './segment.ts'

/** Places where a phrase may start, document by document. */
interface Starts {
  /** Where in `places` those of a document begin and end; both 0 where it has none. */
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly places: Uint32Array
}

/**
 * Counts where the elements of a clause stand side by side. Of each element but the last there is one term, as only the last may go on.
 * First it is found out which documents have all of them, so that only of those the positions are read.
 *
 * @param room - what the documents are counted in, and counted with meanwhile
 */
export function countPhrases({ documents, terms }: Segment, elements: readonly (readonly FoundTerm[])[], room: DocumentCounts): DocumentCounts {
  const count = documents.lengths.length
  const having = havingAll(terms, elements, count, room)
  if (having.every((one) => one === 0)) return { ...room, size: 0 }
  const isWanted = (document: number): boolean => having[document] === 1
  const sizeOf = (place: number): number => terms.offsets[elements[place]![0]!.index + 1]! - terms.offsets[elements[place]![0]!.index]!
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

/** 1 for each document that has some term of every element. */
function havingAll(terms: TermTable, elements: readonly (readonly FoundTerm[])[], count: number, room: DocumentCounts): Uint8Array {
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

/** Where the phrase would start for each place of a term. */
function startsOf(terms: TermTable, index: number, place: number, count: number, isWanted: (document: number) => boolean): Starts {
  // No place takes less than a byte.
  const places = new Uint32Array(terms.offsets[index + 1]! - terms.offsets[index]!)
  const from = new Uint32Array(count)
  const to = new Uint32Array(count)
  let size = 0
  readPostings(terms, index, (document, times, positions) => {
    if (!isWanted(document)) return
    from[document] = size
    for (let i = 0; i < times; i++) if (positions[i]! >= place) places[size++] = positions[i]! - place
    to[document] = size
  }, isWanted)
  return { from, to, places: places.subarray(0, size) }
}

/** Marks the starts that have a term so many places further on. Both ascend, so that each is looked at once. */
function mark(terms: TermTable, index: number, place: number, { from, to, places }: Starts, left: Uint8Array, marks: Uint8Array, isWanted: (document: number) => boolean): void {
  readPostings(terms, index, (document, times, positions) => {
    if (!isWanted(document)) return
    const end = to[document]!
    for (let at = from[document]!, i = 0; at < end && i < times; ) {
      const distance = positions[i]! - place - places[at]!
      if (distance === 0 && left[at] === 1) marks[at] = 1
      if (distance <= 0) i++
      if (distance >= 0) at++
    }
  }, isWanted)
}
