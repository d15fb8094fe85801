import { type Token, tokenise } from '../domain/tokenise.ts'

/** One term to look up. */
export interface Element {
  readonly term: string
  /** Whether every term that begins like this will do. */
  readonly isPrefix: boolean
  /** How many letters may be wrong. */
  readonly typos: 0 | 1 | 2
}

/** Terms that must stand side by side, in this order. */
export type Clause = readonly Element[]

/**
 * What a query asks for: a message must have all of it. White space separates words; `"…"` (or `“…”`) holds words together, and so does
 * whatever else stands between them (`don't`, `a.b()`, `会话记录`). The last word may go on, unless it is quoted. A quote that is never
 * closed counts as none. Empty when there is nothing to look up.
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

function clauseOf(text: string, mayGoOn: boolean, allowsTypos: boolean): Clause {
  const tokens: Token[] = []
  tokenise(text, (token) => void tokens.push(token))
  const last = tokens.at(-1)
  const before = tokens.at(-2)
  // In the message the run may go on, so what says that it ends here is left out; a character by itself begins something there.
  if (last?.isTail && before !== undefined && before.isRun && before.end === last.end) tokens.pop()
  return tokens.map(({ term, isRun, isTail }, i) => {
    const isLast = i === tokens.length - 1
    const isWord = !isRun && tokens.length === 1
    return { term, isPrefix: isLast && (isRun ? isTail : mayGoOn), typos: allowsTypos && isWord ? typosFor([...term].length) : 0 }
  })
}

/** As spelling corrections go: none in short words, which would become any other. */
function typosFor(length: number): Element['typos'] {
  if (length < 4) return 0
  return length < 8 ? 1 : 2
}
