import type { Element } from './parse-query.ts'
import { type TermList, termAt, termCount } from './postings.ts'

/** A term of a list that matches an element of a query, and its weight. */
export interface FoundTerm {
  readonly index: number
  /** 1 for the exact term. */
  readonly weight: number
}

/** Weight of a term by its number of wrong letters. */
const typoWeights = [1, 0.45, 0.25] as const

/** The first character of scripts in which words are not misspelt letter by letter. */
const lastLetter = 0x2e80

/** The terms of a list that match an element, each once. */
export function findTerms(terms: TermList, { term, isPrefix, typos }: Element): readonly FoundTerm[] {
  const { starts } = terms
  const first = firstThat(terms, 0, (other) => other >= term)
  const end = isPrefix
    ? firstThat(terms, first, (other) => !other.startsWith(term))
    : first < termCount(terms) && termAt(terms, first) === term
      ? first + 1
      : first
  const found: FoundTerm[] = []
  for (let index = first; index < end; index++) {
    const length = starts[index + 1]! - starts[index]!
    found.push({ index, weight: length === term.length ? 1 : (0.8 * term.length) / length })
  }
  if (typos > 0)
    for (const [index, distance] of termsWithin(terms, term, typos))
      if (index < first || index >= end) found.push({ index, weight: typoWeights[distance]! })
  return found
}

/**
 * Index of the first term, from `from` on, for which `holds` is true. It must be true for all terms after that one too.
 */
function firstThat(terms: TermList, from: number, holds: (term: string) => boolean): number {
  let low = from
  let high = termCount(terms)
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(termAt(terms, middle))) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Terms within this many edits (a letter inserted, omitted, changed, or swapped with the next). Neighbours in the list
 * have the same start, so that most of the table of one term serves for the next.
 */
function* termsWithin(
  terms: TermList,
  word: string,
  typos: number,
): Generator<readonly [index: number, distance: number], void, undefined> {
  const { letters, starts } = terms
  const width = word.length
  // Row `d` has the distances between the first `d` letters of the term and each start of the word.
  const rows: Uint16Array[] = [Uint16Array.from({ length: width + 1 }, (_, i) => i)]
  let valid = 0
  let hopeless = 0
  for (let i = 0; i < termCount(terms); i++) {
    const from = starts[i]!
    const length = starts[i + 1]! - from
    if (letters.charCodeAt(from) >= lastLetter) return
    const shared = i === 0 ? 0 : sharedLetters(letters, starts[i - 1]!, from, length)
    valid = Math.min(valid, shared)
    if (hopeless > 0 && shared >= hopeless) continue
    hopeless = 0
    if (Math.abs(length - width) > typos) continue
    while (valid < length && hopeless === 0) {
      const least = fillRow(rows, valid + 1, word, letters, from)
      valid++
      if (least > typos) hopeless = valid
    }
    const distance = rows[length]?.[width] ?? Infinity
    if (hopeless === 0 && distance <= typos) yield [i, distance]
  }
}

/** How many first letters a term shares with the term before it. */
function sharedLetters(letters: string, before: number, from: number, length: number): number {
  const most = Math.min(length, from - before)
  let shared = 0
  while (shared < most && letters.charCodeAt(before + shared) === letters.charCodeAt(from + shared)) shared++
  return shared
}

/** Fills row `d` from the rows above it. @returns its least number */
function fillRow(rows: Uint16Array[], d: number, word: string, letters: string, from: number): number {
  const row = (rows[d] ??= new Uint16Array(word.length + 1))
  const above = rows[d - 1]!
  const letter = letters.charCodeAt(from + d - 1)
  row[0] = d
  let least = d
  for (let i = 1; i <= word.length; i++) {
    const isSame = letter === word.charCodeAt(i - 1)
    let cost = Math.min(above[i]! + 1, row[i - 1]! + 1, above[i - 1]! + (isSame ? 0 : 1))
    const isSwapped =
      d > 1 && i > 1 && letter === word.charCodeAt(i - 2) && letters.charCodeAt(from + d - 2) === word.charCodeAt(i - 1)
    if (isSwapped) cost = Math.min(cost, rows[d - 2]![i - 2]! + 1)
    row[i] = cost
    if (cost < least) least = cost
  }
  return least
}
