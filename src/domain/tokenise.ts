import { foldWord } from './fold-word.ts'

/** A piece of text that is searched as one. */
export interface Token {
  readonly term: string
  /** Its start in the text, in UTF-16 units. */
  readonly start: number
  readonly end: number
  /** Whether it belongs to a run of characters that are written without spaces. */
  readonly isRun: boolean
  /** Whether it is the one-character token that ends such a run. */
  readonly isTail: boolean
}

/** The longest compared part of a word. Longer words are keys, hashes and encoded data. */
const termLength = 64

/** How many letters are read at a time. More of them without a gap are not a word, and would be one long task. */
const stretch = 2048

/**
 * Words, and emoji, which are words of their own. Characters that only change the colour or form of an emoji are left
 * out.
 */
const words = new RegExp(
  `[\\p{L}\\p{M}\\p{N}]{1,${stretch}}|\\p{Extended_Pictographic}|\\p{Regional_Indicator}{2}`,
  'gu',
)

/** Scripts without spaces between words. Hangul has some, but searched texts rarely end at one. */
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Bopomofo}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々〆'
const runs = new RegExp(`[${unspaced}]+`, 'gu')
const runStart = new RegExp(`^[${unspaced}]`, 'u')

const mayHaveRuns = /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\uffff]/

/**
 * Splits a text into words, and in scripts without spaces into pairs of neighbouring characters. The last character of
 * such a run is also a token by itself, so that every single character starts some token.
 *
 * @param visit - gets the tokens in order; `false` ends it
 * @param from - where to start: at the beginning, or where it ended before
 * @returns where it ended
 */
export function tokenise(text: string, visit: (token: Token) => unknown, from = 0): number {
  let at = from
  while (at < text.length) {
    const kind = kindOf(text.charCodeAt(at))
    if (kind === gap) {
      at++
      continue
    }
    let end = at
    if (kind === letter) {
      do end++
      while (end < text.length && end - at <= stretch && kindOf(text.charCodeAt(end)) === letter)
      if (end - at > stretch) end = endOfLetters(text, end)
      // Most words end here; others continue with an accent.
      if (end === text.length || kindOf(text.charCodeAt(end)) === gap || end - at > stretch) {
        const word = text.slice(at, Math.min(end, at + termLength)).toLowerCase()
        if (visit({ term: word, start: at, end, isRun: false, isTail: false }) === false) return end
        at = end
        continue
      }
    }
    words.lastIndex = at
    const match = words.exec(text)
    if (match === null) return text.length
    const tokens = partsOf(match[0], match.index)
    at = match.index + match[0].length
    // The run continues: its last character and the next one are neighbours too.
    if (match[0].length >= stretch && tokens.at(-1)?.isTail === true && runStart.test(text.slice(at, at + 2)))
      at = tokens.pop()!.start
    for (const [i, token] of tokens.entries()) if (visit(token) === false) return tokens[i + 1]?.start ?? at
  }
  return at
}

const gap = 0
const letter = 1
const other = 2

/** The kind of a UTF-16 unit, as far as ASCII decides it. */
function kindOf(unit: number): typeof gap | typeof letter | typeof other {
  if (unit > 127) return other
  const isLetter = (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90)
  return isLetter ? letter : gap
}

/** The end of encoded data, which may be megabytes. */
function endOfLetters(text: string, from: number): number {
  noLetter.lastIndex = from
  return noLetter.exec(text)?.index ?? text.length
}

const noLetter = /[^0-9A-Za-z]/g

/** The tokens of a text without gaps. */
function partsOf(word: string, index: number): Token[] {
  if (!mayHaveRuns.test(word)) return [wordToken(word, index)]
  const tokens: Token[] = []
  let at = 0
  for (const { 0: run, index: from } of word.matchAll(runs)) {
    if (from > at) tokens.push(wordToken(word.slice(at, from), index + at))
    pushRun(tokens, run, index + from)
    at = from + run.length
  }
  if (at < word.length) tokens.push(wordToken(word.slice(at), index + at))
  return tokens
}

function wordToken(word: string, start: number): Token {
  const folded = foldWord(word)
  const term = folded.length > termLength ? folded.slice(0, termLength) : folded
  return { term, start, end: start + word.length, isRun: false, isTail: false }
}

function pushRun(tokens: Token[], run: string, start: number): void {
  const folded = plain.test(run) ? undefined : foldWord
  let at = 0
  while (at < run.length) {
    const length = lengthAt(run, at)
    const next = at + length < run.length ? lengthAt(run, at + length) : 0
    const pair = run.slice(at, at + length + next)
    tokens.push({
      term: folded?.(pair) ?? pair,
      start: start + at,
      end: start + at + length + next,
      isRun: true,
      isTail: next === 0,
    })
    at += length
  }
}

/** Runs that folding does not change. */
const plain = /^[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]+$/

const lengthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
