import { type Token, tokenise } from '../domain/tokenise.ts'

/** One term of a query. */
export interface Element {
  readonly term: string
  /** Whether every term with this start matches. */
  readonly isPrefix: boolean
  /** How many letters may be wrong. */
  readonly typos: 0 | 1 | 2
}

/** Terms that must be neighbours, in this order. */
export type Clause = readonly Element[]

/**
 * Parses a query. A message must match all of its clauses. White space separates words. `"…"` (or `“…”`) keeps words
 * together, and so do any other characters between them (`don't`, `a.b()`, `会话记录`). The last word may be a prefix,
 * unless it is quoted. A quote without an end counts as none. The result is empty when there is nothing to search for.
 */
export function parseQuery(query: string, allowsTypos: boolean): readonly Clause[] {
  const clauses = new Map<string, Clause>()
  const pieces = [...query.normalize('NFC').matchAll(/"([^"]*)"|“([^”]*)”|[^\s"“”]+/g)]
  for (const [i, [piece, ...quoted]] of pieces.entries()) {
    const phrase = quoted.find((one) => one !== undefined)
    const clause = clauseOf(phrase ?? piece, phrase === undefined && i === pieces.length - 1, allowsTypos)
    if (clause.length > 0) clauses.set(JSON.stringify(clause), clause)
  }
  return [...clauses.values()]
}

function clauseOf(text: string, mayContinue: boolean, allowsTypos: boolean): Clause {
  const tokens: Token[] = []
  tokenise(text, (token) => void tokens.push(token))
  const last = tokens.at(-1)
  const before = tokens.at(-2)
  // In a message the run may continue, so that the term for the end of the run is left out. A single character starts
  // something in the message.
  if (last?.isTail && before?.isRun && before.end === last.end) tokens.pop()
  return tokens.map(({ term, isRun, isTail }, i) => {
    const isLast = i === tokens.length - 1
    const isWord = !isRun && tokens.length === 1
    return {
      term,
      isPrefix: isLast && (isRun ? isTail : mayContinue),
      typos: allowsTypos && isWord ? typosFor([...term].length) : 0,
    }
  })
}

/** The usual limits of spelling correction. Short words allow no typos, because they would match any other word. */
function typosFor(length: number): Element['typos'] {
  if (length < 4) return 0
  return length < 8 ? 1 : 2
}
