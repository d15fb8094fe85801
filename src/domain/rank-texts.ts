import { lengthNorm, rarityOf, termScore } from './bm25.ts'
import { tokenise } from './tokenise.ts'

/** Weight of a word that only starts with the searched one. It falls with the length of the rest. */
const beginningWeight = 0.8
/** Shorter words are the start of too many others. */
const shortestBeginning = 3

/** The terms of a text. */
interface Counted {
  readonly frequencies: ReadonlyMap<string, number>
  readonly length: number
}

/** A term of a query. A single character of a script without spaces matches every pair that starts with it. */
interface AskedTerm {
  readonly term: string
  readonly isRun: boolean
}

/**
 * Ranks a few texts by the words that they share with a query (Okapi BM25). One word is enough, rare ones count more,
 * and longer words with the same start (`tea`, `teapot`) count less. Case, accents and width make no difference;
 * scripts without spaces use pairs of characters.
 *
 * @returns the indexes of texts that share a word, best first; equal ones in the given order
 */
export function rankTexts(query: string, texts: readonly string[]): readonly number[] {
  const documents = texts.map(count)
  const averageLength = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(documents.length, 1)
  const scores = documents.map(() => 0)
  for (const asked of askedTerms(query)) {
    const found = documents.map(({ frequencies }) => frequencyOf(asked, frequencies))
    const rarity = rarityOf(found.filter((frequency) => frequency > 0).length, documents.length)
    for (const [i, frequency] of found.entries())
      if (frequency > 0) scores[i]! += termScore(rarity, frequency, lengthNorm(documents[i]!.length, averageLength))
  }
  return [...scores.keys()].filter((i) => scores[i]! > 0).sort((a, b) => scores[b]! - scores[a]! || a - b)
}

function count(text: string): Counted {
  const frequencies = new Map<string, number>()
  let length = 0
  tokenise(text, ({ term }) => {
    frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
    length++
  })
  return { frequencies, length }
}

function askedTerms(query: string): readonly AskedTerm[] {
  const asked = new Map<string, AskedTerm>()
  let runEnd = -1
  tokenise(query, ({ term, isRun, isTail, end }) => {
    // The last character of a run is part of the pair before. By itself it would match every run that ends with it.
    if (!isTail || runEnd !== end) asked.set(term, { term, isRun })
    runEnd = isRun ? end : -1
  })
  return [...asked.values()]
}

function frequencyOf({ term, isRun }: AskedTerm, frequencies: ReadonlyMap<string, number>): number {
  let frequency = frequencies.get(term) ?? 0
  if (isRun ? [...term].length > 1 : term.length < shortestBeginning) return frequency
  for (const [other, times] of frequencies) {
    if (other.length > term.length && other.startsWith(term))
      frequency += times * (isRun ? 1 : (beginningWeight * term.length) / other.length)
  }
  return frequency
}
