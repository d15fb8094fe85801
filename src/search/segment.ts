import { type Token, tokenise } from '../domain/tokenise.ts'
import { createPostingsWriter, type TermTable } from './postings.ts'
import { sortInSteps } from './sort-in-steps.ts'

/** A message to be indexed. */
export interface SearchDocument {
  /** Local number of its session. */
  readonly session: number
  readonly branch: string
  readonly order: string
  /** Id of the applied edit; `''` for none. */
  readonly edit: string
  readonly at: number
  readonly role: string
  readonly text: string
}

/** The facts about the documents of a segment other than their words, by document number. */
interface DocumentTable {
  readonly sessions: Float64Array
  readonly branches: readonly string[]
  readonly orders: readonly string[]
  readonly edits: readonly string[]
  readonly at: Float64Array
  readonly roles: readonly string[]
  /** The number of tokens of each document. */
  readonly lengths: Uint32Array
}

/**
 * A part of the index that never changes: some messages, and for each word its places in them. It uses flat arrays,
 * because 50,000 messages as objects and maps take ten times the memory, and because the arrays are stored and loaded
 * as they are.
 */
export interface Segment {
  readonly documents: DocumentTable
  readonly terms: TermTable
}

/**
 * How many tokens or places one step handles, which takes a millisecond or two. For a text with few tokens it counts
 * UTF-16 units.
 */
const stepSize = 4096
const stepLength = 65_536

/**
 * Builds a segment from messages. It works in steps, so that other work can run in between: one message may have a
 * million words.
 */
export function* buildSegment(documents: readonly SearchDocument[]): Generator<void, Segment, undefined> {
  // Numbers go into flat arrays. A list for each term would be most of the work, and all of it garbage.
  const numbers = new Map<string, number>()
  const counts: number[] = []
  const tokens: number[] = []
  const lengths = new Uint32Array(documents.length)
  let stepEnd = 0
  const visit = ({ term, end }: Token): boolean => {
    let number = numbers.get(term)
    if (number === undefined) numbers.set(term, (number = counts.push(0) - 1))
    counts[number]!++
    return tokens.push(number) % stepSize !== 0 && end < stepEnd
  }
  for (const [document, { text }] of documents.entries()) {
    const before = tokens.length
    for (let at = 0; at < text.length; ) {
      stepEnd = at + stepLength
      at = tokenise(text, visit, at)
      if (at < text.length || tokens.length % stepSize === 0) yield
    }
    lengths[document] = tokens.length - before
  }
  const places = yield* placesOf(tokens, counts, lengths)
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
    terms: yield* writeTerms(numbers, places),
  }
}

/** The places of each term. */
interface Places {
  /** Term `n` has the places from `starts[n]` to `starts[n + 1]`. */
  readonly starts: Uint32Array
  /** The document of each place, and the position in it; ascending for each term. */
  readonly documents: Uint32Array
  readonly positions: Uint32Array
}

/** @param tokens - the numbers of the terms, document by document */
function* placesOf(
  tokens: readonly number[],
  counts: readonly number[],
  lengths: Uint32Array,
): Generator<void, Places, undefined> {
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
      if (i % (stepSize * 8) === 0) yield
    }
  }
  return { starts, documents, positions }
}

function* writeTerms(
  numbers: ReadonlyMap<string, number>,
  { starts, documents, positions }: Places,
): Generator<void, TermTable, undefined> {
  const writer = createPostingsWriter()
  let written = 0
  for (const term of yield* sortInSteps([...numbers.keys()], stepSize)) {
    const number = numbers.get(term)!
    writer.begin(term)
    for (let at = starts[number]!; at < starts[number + 1]!; ) {
      const from = at
      while (at < starts[number + 1]! && documents[at] === documents[from]) at++
      writer.add(documents[from]!, positions, from, at)
    }
    written += 16 + starts[number + 1]! - starts[number]!
    if (written > stepSize * 2) {
      written = 0
      yield
    }
  }
  return writer.end()
}
