import { createPostingsWriter, type TermTable } from './postings.ts'
import { tokenise } from '../domain/tokenise.ts'

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
  // Numbers in flat arrays: a list for each term would be most of the work, and all of it garbage.
  const numbers = new Map<string, number>()
  const counts: number[] = []
  const tokens: number[] = []
  const lengths = new Uint32Array(documents.length)
  for (const [document, { text }] of documents.entries()) {
    const before = tokens.length
    tokenise(text, ({ term }) => {
      let number = numbers.get(term)
      if (number === undefined) numbers.set(term, (number = counts.push(0) - 1))
      counts[number]!++
      tokens.push(number)
    })
    lengths[document] = tokens.length - before
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
    terms: writeTerms(numbers, placesOf(tokens, counts, lengths)),
  }
}

/** Where each term stands. */
interface Places {
  /** Term `n` has the places from `starts[n]` to `starts[n + 1]`. */
  readonly starts: Uint32Array
  /** Of each place the document, and the position in it; ascending for each term. */
  readonly documents: Uint32Array
  readonly positions: Uint32Array
}

/** @param tokens - the numbers of the terms, document by document */
function placesOf(tokens: readonly number[], counts: readonly number[], lengths: Uint32Array): Places {
  const starts = new Uint32Array(counts.length + 1)
  for (const [number, count] of counts.entries()) starts[number + 1] = starts[number]! + count
  const next = starts.slice()
  const documents = new Uint32Array(tokens.length)
  const positions = new Uint32Array(tokens.length)
  for (let document = 0, i = 0; document < lengths.length; document++) {
    for (let position = 0; position < lengths[document]!; position++, i++) {
      const at = next[tokens[i]!]!++
      documents[at] = document
      positions[at] = position
    }
  }
  return { starts, documents, positions }
}

function writeTerms(numbers: ReadonlyMap<string, number>, { starts, documents, positions }: Places): TermTable {
  const writer = createPostingsWriter()
  for (const term of [...numbers.keys()].sort()) {
    const number = numbers.get(term)!
    writer.begin(term)
    for (let at = starts[number]!; at < starts[number + 1]!; ) {
      const from = at
      while (at < starts[number + 1]! && documents[at] === documents[from]) at++
      writer.add(documents[from]!, positions, from, at)
    }
  }
  return writer.end()
}
