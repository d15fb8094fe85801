import { foldWord } from './fold-word.ts'

/** A piece of text that is looked up as one. */
export interface Token {
  readonly term: string
  /** Where it stands in the text, in UTF-16 units. */
  readonly start: number
  readonly end: number
  /** Whether it is part of a run of characters that are written without spaces. */
  readonly isRun: boolean
  /** Whether it is the one-character token that ends such a run. */
  readonly isTail: boolean
}

/** Longest part of a word that is compared. Longer ones are keys, hashes and encoded data. */
const termLength = 64

/** Words, and pictures, which are words of their own. What changes a picture's colour or form is left out. */
const words = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}|\p{Regional_Indicator}{2}/gu

/** Scripts without spaces between words; Hangul has some, yet what people look for rarely ends at one. */
const runs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆]+/gu

const mayHaveRuns = /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\uffff]/

/**
 * Takes a text apart: words, and of scripts without spaces each two characters that stand side by side, with the last one of a run once
 * more by itself, so that every single character begins some token.
 */
export function* tokenise(text: string): Generator<Token, void, undefined> {
  for (const { 0: word, index } of text.matchAll(words)) {
    if (!mayHaveRuns.test(word)) {
      yield wordToken(word, index)
      continue
    }
    let at = 0
    for (const { 0: run, index: from } of word.matchAll(runs)) {
      if (from > at) yield wordToken(word.slice(at, from), index + at)
      yield* runTokens(run, index + from)
      at = from + run.length
    }
    if (at < word.length) yield wordToken(word.slice(at), index + at)
  }
}

function wordToken(word: string, start: number): Token {
  const folded = foldWord(word)
  const term = folded.length > termLength ? folded.slice(0, termLength) : folded
  return { term, start, end: start + word.length, isRun: false, isTail: false }
}

function* runTokens(run: string, start: number): Generator<Token, void, undefined> {
  const characters = [...run]
  let at = start
  for (const [i, character] of characters.entries()) {
    const next = characters[i + 1] ?? ''
    yield { term: foldWord(character + next), start: at, end: at + character.length + next.length, isRun: true, isTail: next === '' }
    at += character.length
  }
}
