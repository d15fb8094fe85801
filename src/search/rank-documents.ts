import { lengthNorm, rarityOf, termScore } from '../domain/bm25.ts'
import { type Matches, matchClause } from './match-clause.ts'
import type { Clause } from './parse-query.ts'
import { roomFor } from './postings.ts'
import type { Segment } from './segment.ts'

/** A segment of the index, and which of its documents were removed. */
export interface LiveSegment {
  readonly segment: Segment
  /** 1 for each document that was removed. */
  readonly dead: Uint8Array
  readonly deadCount: number
  /** Of the other documents together. */
  readonly tokens: number
}

/** A document that matches the whole query. */
export interface RankedDocument {
  readonly segment: Segment
  readonly document: number
  readonly score: number
}

/** The best documents that match every clause and pass the filter, best first. Of equal ones the newest comes first. */
export function rankDocuments(
  segments: readonly LiveSegment[],
  clauses: readonly Clause[],
  passes: (segment: Segment, document: number) => boolean,
  count: number,
): readonly RankedDocument[] {
  let documents = 0
  let tokens = 0
  let largest = 0
  for (const one of segments) {
    documents += one.dead.length - one.deadCount
    tokens += one.tokens
    largest = Math.max(largest, one.dead.length)
  }
  const room = roomFor(largest)
  const averageLength = tokens / Math.max(documents, 1)
  const having = clauses.map(() => 0)
  const matched = segments.map(({ segment, dead }) => {
    const found = clauses.map((clause) => matchClause(segment, dead, clause, room))
    for (const [
      i,
      {
        documents: { length },
      },
    ] of found.entries())
      having[i]! += length
    return { segment, found }
  })
  const rarity = having.map((count) => rarityOf(count, documents))

  const best = createBest(count)
  for (const { segment, found } of matched) {
    const { lengths } = segment.documents
    eachInAll(found, (document, places) => {
      const norm = lengthNorm(lengths[document]!, averageLength)
      let score = 0
      for (let i = 0; i < found.length; i++) score += termScore(rarity[i]!, found[i]!.frequencies[places[i]!]!, norm)
      // Most documents score too low, which is faster to check than the filter.
      if (score >= best.least() && passes(segment, document)) best.offer({ segment, document, score })
    })
  }
  return best.end()
}

/** Visits the documents that are in all lists, with their place in each list. */
function eachInAll(found: readonly Matches[], visit: (document: number, places: Uint32Array) => void): void {
  const shortest = found.reduce(
    (least, { documents }, i) => (documents.length < found[least]!.documents.length ? i : least),
    0,
  )
  const base = found[shortest]?.documents ?? new Uint32Array(0)
  const places = new Uint32Array(found.length)
  next: for (let at = 0; at < base.length; at++) {
    const document = base[at]!
    places[shortest] = at
    for (let i = 0; i < found.length; i++) {
      const { documents } = found[i]!
      let place = places[i]!
      while (place < documents.length && documents[place]! < document) place++
      places[i] = place
      if (place === documents.length) return
      if (documents[place] !== document) continue next
    }
    visit(document, places)
  }
}

/**
 * Keeps the best of many in a heap whose top is the worst one kept. Most candidates are worse than the top, so that one
 * comparison rejects them.
 */
function createBest(count: number): {
  least(): number
  offer(one: RankedDocument): void
  end(): readonly RankedDocument[]
} {
  const heap: RankedDocument[] = []
  const swap = (a: number, b: number): void => {
    const one = heap[a]!
    heap[a] = heap[b]!
    heap[b] = one
  }
  const isWorse = (a: number, b: number): boolean => compareRanked(heap[a]!, heap[b]!) > 0

  function rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!isWorse(at, parent)) return
      swap(at, parent)
      at = parent
    }
  }
  function sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      let worst = at
      for (const child of [left, left + 1]) if (child < heap.length && isWorse(child, worst)) worst = child
      if (worst === at) return
      swap(at, worst)
      at = worst
    }
  }
  return {
    // Equal documents are considered too, because the newest is kept.
    least: () => (heap.length < count ? -Infinity : heap[0]!.score),
    offer: (one) => {
      if (heap.length < count) {
        heap.push(one)
        rise(heap.length - 1)
      } else if (compareRanked(one, heap[0]!) < 0) {
        heap[0] = one
        sink()
      }
    },
    end: () => heap.sort(compareRanked),
  }
}

/** Sorts better documents first. */
function compareRanked(a: RankedDocument, b: RankedDocument): number {
  return b.score - a.score || atOf(b) - atOf(a) || (orderOf(a) < orderOf(b) ? 1 : -1)
}

const atOf = ({ segment, document }: RankedDocument): number => segment.documents.at[document]!
const orderOf = ({ segment, document }: RankedDocument): string => segment.documents.orders[document]!
