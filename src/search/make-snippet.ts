import type { SearchSnippet } from '../contract/search.ts'
import { type Token, tokenise } from '../domain/tokenise.ts'
import { findTerms } from './find-terms.ts'
import type { Clause, Element } from './parse-query.ts'
import { listTerms } from './postings.ts'

/** Length of a snippet, and of its part before the first match, in UTF-16 units. */
const length = 160
const lead = 40
/**
 * How many matches are considered for the best snippet, and how many of them may come before all clauses were found.
 */
const considered = 384
const keptBefore = 256
/** Words, and UTF-16 units, that one step reads. */
const stepSize = 4096
const stepLength = 65_536
/** How much further a long text is read after all clauses were found. */
const readOn = 4096

interface Match {
  readonly start: number
  readonly end: number
  readonly clause: number
}

/**
 * The part of a text that shows the most clauses of a query; `undefined` when the text lacks one. It works in steps, so
 * that other work can run in between: the text may be long.
 */
export function* makeSnippet(
  text: string,
  clauses: readonly Clause[],
): Generator<void, SearchSnippet | undefined, undefined> {
  const matches = yield* findMatches(text, clauses)
  if (matches === undefined) return undefined
  const { start } = bestStart(matches)
  let from = start <= lead ? 0 : start - lead
  // The snippet starts with a whole word when a space is near.
  const space = from === 0 ? -1 : text.slice(from, from + lead / 2).search(/\s/)
  from = safeCut(text, space < 0 ? from : from + space + 1)
  const to = safeCut(text, Math.min(text.length, from + length))
  return onOneLine(text, from, to, matches)
}

/** Matches in the order of the text; `undefined` when a clause has none. */
function* findMatches(
  text: string,
  clauses: readonly Clause[],
): Generator<void, readonly Match[] | undefined, undefined> {
  const matches: Match[] = []
  const longest = clauses.reduce((most, { length: count }) => Math.max(most, count), 1)
  /** The last tokens, as many as a clause may need. */
  const tokens: Token[] = []
  const missing = new Set(clauses.keys())
  let end = Infinity
  let count = 0
  let stepEnd = 0
  const visit = (token: Token): boolean => {
    if (tokens.push(token) > longest) tokens.shift()
    for (let number = 0; number < clauses.length; number++) {
      const clause = clauses[number]!
      if (!endsWith(tokens, clause)) continue
      matches.push({
        start: tokens[tokens.length - clause.length]!.start,
        end: endOf(token, clause.at(-1)!.term),
        clause: number,
      })
      if (missing.delete(number) && missing.size === 0) end = token.end + readOn
      // Matches far before the others would not be shown together with them.
      if (missing.size > 0 && matches.length > keptBefore) matches.splice(0, keptBefore / 2)
    }
    return ++count % stepSize !== 0 && token.end < stepEnd && token.start <= end
  }
  for (let at = 0; at < text.length && at <= end; ) {
    stepEnd = at + stepLength
    at = tokenise(text, visit, at)
    if (at < text.length && at <= end) yield
  }
  return missing.size > 0 ? undefined : matches.sort((a, b) => a.start - b.start)
}

/** Whether the last of these tokens match a clause. */
function endsWith(tokens: readonly Token[], clause: Clause): boolean {
  if (tokens.length < clause.length) return false
  for (let place = clause.length - 1, at = tokens.length - 1; place >= 0; place--, at--)
    if (!isMeant(clause[place]!, tokens[at]!.term)) return false
  return true
}

/** Whether a term matches an element. */
function isMeant(element: Element, term: string): boolean {
  if (term === element.term || (element.isPrefix && term.startsWith(element.term))) return true
  return (
    element.typos > 0 &&
    Math.abs(term.length - element.term.length) <= element.typos &&
    findTerms(listTerms([term]), element).length > 0
  )
}

/** A run of two characters may begin with the character that was searched. Then only that one is the match. */
function endOf({ start, end, isRun }: Token, term: string): number {
  const isFirstOnly = isRun && [...term].length === 1
  return isFirstOnly ? Math.min(end, start + term.length) : end
}

/** The first match of the part with the most clauses. */
function bestStart(matches: readonly Match[]): Match {
  let best = matches[0]!
  let most = 0
  for (const [i, match] of matches.slice(0, considered).entries()) {
    const seen = new Set<number>()
    for (let j = i; j < matches.length && matches[j]!.end <= match.start + length - lead; j++)
      seen.add(matches[j]!.clause)
    if (seen.size > most) {
      best = match
      most = seen.size
    }
  }
  return best
}

/**
 * Characters that must not be separated from the one before: the second half of a surrogate pair, marks, and what joins
 * or colours emoji.
 */
const joinsBefore = /^(?:[\udc00-\udfff\p{M}\u200d\ufe0f]|\p{Emoji_Modifier})/u

/** The nearest place, here or before, where the text can be cut without breaking a visible character. */
function safeCut(text: string, at: number): number {
  let cut = at
  while (cut > 0 && cut < text.length && isInside(text, cut)) cut--
  return cut
}

function isInside(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 64), at)
  if (/[\ud800-\udbff]$/.test(before) || before.endsWith('\u200d') || joinsBefore.test(text.slice(at, at + 2)))
    return true
  // Flags are pairs of letters. There is a border between two pairs, but none within a pair.
  const flags = /(?:\p{Regional_Indicator})+$/u.exec(before)?.[0].length ?? 0
  return (flags / 2) % 2 === 1 && /^\p{Regional_Indicator}/u.test(text.slice(at, at + 2))
}

/** Cuts a part out of a text, reduces its white space to single spaces, and moves the matches accordingly. */
function onOneLine(text: string, from: number, to: number, matches: readonly Match[]): SearchSnippet {
  let line = from > 0 ? '…' : ''
  const places = new Map<number, number>()
  for (let at = from; at < to; at++) {
    const unit = text[at]!
    const isSpace = /\s/.test(unit)
    places.set(at, line.length)
    if (!isSpace) line += unit
    else if (line !== '' && !line.endsWith(' ')) line += ' '
  }
  places.set(to, line.length)
  if (to < text.length) line += '…'
  const shown: (readonly [number, number])[] = []
  for (const { start, end } of matches) {
    const first = places.get(start)
    if (first === undefined || start >= to) continue
    const last = places.get(Math.min(end, to))!
    const before = shown.at(-1)
    if (before !== undefined && first < before[1]) shown[shown.length - 1] = [before[0], Math.max(before[1], last)]
    else shown.push([first, last])
  }
  return { text: line, matches: shown }
}
