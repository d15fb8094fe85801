import { countPhrases } from './count-phrases.ts'
import { type FoundTerm, findTerms } from './find-terms.ts'
import type { Clause } from './parse-query.ts'
import { type DocumentCounts, readDocuments } from './postings.ts'
import type { Segment } from './segment.ts'

/** The documents of a segment that match a clause, ascending, and how often each does, weighted. */
export interface Matches {
  readonly documents: Uint32Array
  readonly frequencies: Float32Array
}

const none: Matches = { documents: new Uint32Array(0), frequencies: new Float32Array(0) }

/**
 * Finds the documents of a segment that match a clause.
 *
 * @param dead - 1 for each document that is left out
 * @param room - scratch memory for at least as many documents as the segment has; it is overwritten
 */
export function matchClause(segment: Segment, dead: Uint8Array, clause: Clause, room: DocumentCounts): Matches {
  const elements: (readonly FoundTerm[])[] = []
  for (const element of clause) {
    const terms = findTerms(segment.terms, element)
    if (terms.length === 0) return none
    elements.push(terms)
  }
  const [terms] = elements
  if (terms === undefined) return none
  if (elements.length > 1) return aliveOf(countPhrases(segment, elements, room), dead, 1)
  if (terms.length > 1) return countTerms(segment, dead, terms, room)
  readDocuments(segment.terms, terms[0]!.index, room)
  return aliveOf(room, dead, terms[0]!.weight)
}

function aliveOf({ documents: found, counts, size }: DocumentCounts, dead: Uint8Array, weight: number): Matches {
  const documents = new Uint32Array(size)
  const frequencies = new Float32Array(size)
  let count = 0
  for (let i = 0; i < size; i++) {
    const document = found[i]!
    if (dead[document] === 1) continue
    documents[count] = document
    frequencies[count++] = weight * counts[i]!
  }
  return count === size
    ? { documents, frequencies }
    : { documents: documents.subarray(0, count), frequencies: frequencies.subarray(0, count) }
}

/** Adds up the weights of several terms. */
function countTerms(segment: Segment, dead: Uint8Array, terms: readonly FoundTerm[], room: DocumentCounts): Matches {
  const sums = new Float32Array(dead.length)
  for (const { index, weight } of terms) {
    readDocuments(segment.terms, index, room)
    const { documents, counts, size } = room
    for (let i = 0; i < size; i++) sums[documents[i]!]! += weight * counts[i]!
  }
  let count = 0
  for (let document = 0; document < sums.length; document++) if (sums[document]! > 0 && dead[document] === 0) count++
  const documents = new Uint32Array(count)
  const frequencies = new Float32Array(count)
  for (let document = 0, i = 0; i < count; document++) {
    if (sums[document] === 0 || dead[document] === 1) continue
    documents[i] = document
    frequencies[i++] = sums[document]!
  }
  return { documents, frequencies }
}
