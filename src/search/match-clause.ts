import { findTerms, type FoundTerm } from './find-terms.ts'
import type { Clause } from './parse-query.ts'
import { readPostings } from './postings.ts'
import type { Segment } from './segment.ts'

/** How often each document of a segment has what a clause asks for, weighted; 0 where it has not. */
export type Frequencies = Float32Array

const always = (): boolean => true

/** Looks a clause up in a segment; `undefined` when no document has it. */
export function matchClause(segment: Segment, clause: Clause): Frequencies | undefined {
  const elements: (readonly FoundTerm[])[] = []
  for (const element of clause) {
    const terms = findTerms(segment.terms, element)
    if (terms.length === 0) return undefined
    elements.push(terms)
  }
  return elements.length === 1 ? countTerms(segment, elements[0]!) : countPhrases(segment, elements)
}

function countTerms(segment: Segment, terms: readonly FoundTerm[]): Frequencies {
  const frequencies = new Float32Array(segment.documents.lengths.length)
  for (const { index, weight } of terms) {
    readPostings(segment.terms, index, (document, count) => void (frequencies[document]! += weight * count))
  }
  return frequencies
}

/** Finds where the elements stand side by side, the rarest first, so that of the others only those documents are looked at. */
function countPhrases(segment: Segment, elements: readonly (readonly FoundTerm[])[]): Frequencies | undefined {
  const { offsets } = segment.terms
  const sizeOf = (terms: readonly FoundTerm[]): number => terms.reduce((sum, { index }) => sum + offsets[index + 1]! - offsets[index]!, 0)
  const rarestFirst = elements.map((terms, place) => ({ terms, place, size: sizeOf(terms) })).sort((a, b) => a.size - b.size)
  let starts: ReadonlyMap<number, ReadonlySet<number>> | undefined
  for (const { terms, place } of rarestFirst) {
    starts = narrow(segment, terms, place, starts)
    if (starts.size === 0) return undefined
  }
  const frequencies = new Float32Array(segment.documents.lengths.length)
  for (const [document, { size }] of starts!) frequencies[document] = size
  return frequencies
}

/** Of the places where a phrase may start, by document, those that have one of these terms so many places further on. */
function narrow(segment: Segment, terms: readonly FoundTerm[], place: number, starts: ReadonlyMap<number, ReadonlySet<number>> | undefined): Map<number, Set<number>> {
  const left = new Map<number, Set<number>>()
  const isWanted = starts === undefined ? always : (document: number): boolean => starts.has(document)
  for (const { index } of terms) {
    readPostings(segment.terms, index, (document, _count, positions) => {
      if (!isWanted(document)) return
      const possible = starts?.get(document)
      for (const position of positions) {
        const start = position - place
        if (start < 0 || possible?.has(start) === false) continue
        const known = left.get(document)
        if (known === undefined) left.set(document, new Set([start]))
        else known.add(start)
      }
    }, isWanted)
  }
  return left
}
