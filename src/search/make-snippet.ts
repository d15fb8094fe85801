import type { SearchSnippet } from '../contract/search.ts'
import { findTerms } from './find-terms.ts'
import type { Clause, Element } from './parse-query.ts'
import { listTerms } from './postings.ts'
import { type Token, tokenise } from '../domain/tokenise.ts'

/** UTF-16 units of text to show in all, and before what was found. */
const length = 160
const lead = 40
/** Matches that are looked at for the best place to show, and of these so many that came before all was found. */
const lookedAt = 384
const keptBefore = 256
/** Words, and UTF-16 units, that are looked at in one step. */
const stepSize = 4096
const stepLength = 65_536
/** How much further a long text is read once all has been found in it. */
const readOn = 4096

interface Match {
  readonly start: number
  readonly end: number
  readonly clause: number
}

/**
 * The part of a text that shows most of what was asked for; `undefined` when the text has not all of it. In steps, so that others can work
 * in between: the text may be long.
 */
export function* makeSnippet(text: string, clauses: readonly Clause[]): Generator<void, SearchSnippet | undefined, undefined> {
  const matches = yield* findMatches(text, clauses)
  if (matches === undefined) return undefined
  const { start } = bestStart(matches)
  let from = start <= lead ? 0 : start - lead
  // A word is better whole, where a space is near.
  const space = from === 0 ? -1 : text.slice(from, from + lead / 2).search(/\s/)
  from = safeCut(text, space < 0 ? from : from + space + 1)
  const to = safeCut(text, Math.min(text.length, from + length))
  return onOneLine(text, from, to, matches)
}

/** Places that match, ascending; `undefined` when a clause has none. */
function* findMatches(text: string, clauses: readonly Clause[]): Generator<void, readonly Match[] | undefined, undefined> {
  const matches: Match[] = []
  const longest = clauses.reduce((most, { length: count }) => Math.max(most, count), 1)
  /** The last ones, as many as a clause may need. */
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
      matches.push({ start: tokens[tokens.length - clause.length]!.start, end: endOf(token, clause.at(-1)!.term), clause: number })
      if (missing.delete(number) && missing.size === 0) end = token.end + readOn
      // What is far from the rest would not be shown beside it.
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

/** Whether the last of these tokens are what a clause asks for. */
function endsWith(tokens: readonly Token[], clause: Clause): boolean {
  if (tokens.length < clause.length) return false
  for (let place = clause.length - 1, at = tokens.length - 1; place >= 0; place--, at--) if (!isMeant(clause[place]!, tokens[at]!.term)) return false
  return true
}

/** Whether a term is one that an element may mean. */
function isMeant(element: Element, term: string): boolean {
  if (term === element.term || (element.isPrefix && term.startsWith(element.term))) return true
  return element.typos > 0 && Math.abs(term.length - element.term.length) <= element.typos && findTerms(listTerms([term]), element).length > 0
}

/** Of two characters that begin with the one that was looked for, the other was not. */
function endOf({ start, end, isRun }: Token, term: string): number {
  const isFirstOnly = isRun && [...term].length === 1
  return isFirstOnly ? Math.min(end, start + term.length) : end
}

/** The first match of the stretch with the most clauses. */
function bestStart(matches: readonly Match[]): Match {
  let best = matches[0]!
  let most = 0
  for (const [i, match] of matches.slice(0, lookedAt).entries()) {
    const seen = new Set<number>()
    for (let j = i; j < matches.length && matches[j]!.end <= match.start + length - lead; j++) seen.add(matches[j]!.clause)
    if (seen.size > most) {
      best = match
      most = seen.size
    }
  }
  return best
}

/** What must not be parted from what stands before it: the second half of a character, its marks, and what joins or colours pictures. */
const joinsBefore = /^(?:[\udc00-\udfff\p{M}\u200d\ufe0f]|\p{Emoji_Modifier})/u

/** A place at or before this one where the text can be cut without breaking what is seen as one character. */
function safeCut(text: string, at: number): number {
  let cut = at
  while (cut > 0 && cut < text.length && isInside(text, cut)) cut--
  return cut
}

function isInside(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 64), at)
  if (/[\ud800-\udbff]$/.test(before) || before.endsWith('\u200d') || joinsBefore.test(text.slice(at, at + 2))) return true
  // Flags are pairs of letters: between the second and the third is a border, within a pair is none.
  const flags = /(?:\p{Regional_Indicator})+$/u.exec(before)?.[0].length ?? 0
  return (flags / 2) % 2 === 1 && /^\p{Regional_Indicator}/u.test(text.slice(at, at + 2))
}

/** Cuts a part out of a text, folds its white space to single spaces, and says where the matches are then. */
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
