import { lengthNorm, rarityOf, termScore } from '../domain/bm25.ts'
import { matchClause, type Frequencies } from './match-clause.ts'
import type { Clause } from './parse-query.ts'
import type { Segment } from './segment.ts'

/** A segment of the index, with its documents that are no more. */
export interface LiveSegment {
  readonly segment: Segment
  /** 1 for each document that was removed. */
  readonly dead: Uint8Array
  readonly deadCount: number
}

/** A document that has all that was asked for. */
export interface RankedDocument {
  readonly segment: Segment
  readonly document: number
  readonly score: number
}

/** The best documents that have every clause and pass the filter, best first; of equal ones the newest. */
export function rankDocuments(segments: readonly LiveSegment[], clauses: readonly Clause[], passes: (segment: Segment, document: number) => boolean, count: number): readonly RankedDocument[] {
  const { documents, tokens } = sizeOf(segments)
  const averageLength = tokens / Math.max(documents, 1)
  const having = clauses.map(() => 0)
  const matched = segments.map((live) => {
    const found = clauses.map((clause) => matchClause(live.segment, clause))
    for (const [i, frequencies] of found.entries()) having[i]! += countOf(frequencies, live.dead)
    return { live, found }
  })
  const rarity = having.map((count) => rarityOf(count, documents))

  const best = createBest(count)
  for (const { live: { segment, dead }, found } of matched) {
    if (!found.every((one) => one !== undefined)) continue
    const { lengths } = segment.documents
    for (let document = 0; document < lengths.length; document++) {
      if (dead[document] === 1) continue
      const norm = lengthNorm(lengths[document]!, averageLength)
      let score = 0
      let hasAll = true
      for (let i = 0; i < found.length; i++) {
        const frequency = found[i]![document]!
        if (frequency === 0) {
          hasAll = false
          break
        }
        score += termScore(rarity[i]!, frequency, norm)
      }
      if (hasAll && passes(segment, document)) best.offer({ segment, document, score })
    }
  }
  return best.end()
}

function sizeOf(segments: readonly LiveSegment[]): { readonly documents: number; readonly tokens: number } {
  let documents = 0
  let tokens = 0
  for (const { segment, deadCount } of segments) {
    const { lengths } = segment.documents
    documents += lengths.length - deadCount
    for (const length of lengths) tokens += length
  }
  return { documents, tokens }
}

function countOf(frequencies: Frequencies | undefined, dead: Uint8Array): number {
  if (frequencies === undefined) return 0
  let count = 0
  for (let i = 0; i < frequencies.length; i++) if (frequencies[i]! > 0 && dead[i] === 0) count++
  return count
}

/** Keeps the best of many as a heap whose top is the worst kept: most of those that come are worse than it, and need one look. */
function createBest(count: number): { offer(one: RankedDocument): void; end(): readonly RankedDocument[] } {
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

/** Better ones first. */
function compareRanked(a: RankedDocument, b: RankedDocument): number {
  return b.score - a.score || atOf(b) - atOf(a) || (orderOf(a) < orderOf(b) ? 1 : -1)
}

const atOf = ({ segment, document }: RankedDocument): number => segment.documents.at[document]!
const orderOf = ({ segment, document }: RankedDocument): string => segment.documents.orders[document]!
