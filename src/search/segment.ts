import { type TermPostings, type TermTable, writePostings } from './postings.ts'
import { tokenise } from './tokenise.ts'

/** A message to be indexed. */
export interface SearchDocument {
  /** Local number of its session. */
  readonly session: number
  readonly branch: string
  readonly order: string
  /** Id of the edit that was applied; `''` for none. */
  readonly edit: string
  readonly at: number
  readonly role: string
  readonly text: string
}

/** What a segment knows of its documents besides their words, by document number. */
export interface DocumentTable {
  readonly sessions: Float64Array
  readonly branches: readonly string[]
  readonly orders: readonly string[]
  readonly edits: readonly string[]
  readonly at: Float64Array
  readonly roles: readonly string[]
  /** How many tokens each has. */
  readonly lengths: Uint32Array
}

/**
 * A part of the index that never changes: some messages, and for each word where it stands in them. Flat arrays, because 50,000
 * messages as objects and maps take ten times the memory, and because they are stored and loaded as they are.
 */
export interface Segment {
  readonly documents: DocumentTable
  readonly terms: TermTable
}

/** Makes a segment of messages. */
export function buildSegment(documents: readonly SearchDocument[]): Segment {
  const terms = new Map<string, number[]>()
  const lengths = new Uint32Array(documents.length)
  for (const [document, { text }] of documents.entries()) {
    let position = 0
    for (const { term } of tokenise(text)) {
      const places = terms.get(term)
      if (places === undefined) terms.set(term, [document, position])
      else places.push(document, position)
      position++
    }
    lengths[document] = position
  }
  return {
    documents: {
      sessions: Float64Array.from(documents, ({ session }) => session),
      branches: documents.map(({ branch }) => branch),
      orders: documents.map(({ order }) => order),
      edits: documents.map(({ edit }) => edit),
      at: Float64Array.from(documents, ({ at }) => at),
      roles: documents.map(({ role }) => role),
      lengths,
    },
    terms: writePostings(sorted(terms)),
  }
}

function sorted(terms: ReadonlyMap<string, number[]>): readonly TermPostings[] {
  return [...terms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([term, places]) => ({ term, places }))
}

/** How many terms there are. */
export const termCount = ({ terms }: Segment): number => terms.starts.length - 1

export function termAt({ terms: { letters, starts } }: Segment, i: number): string {
  return letters.slice(starts[i], starts[i + 1])
}
