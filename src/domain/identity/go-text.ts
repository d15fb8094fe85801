import { toWellFormed } from '../to-well-formed.ts'

/** White space in Go. JavaScript's `trim` also removes U+FEFF, and keeps U+0085. */
const goSpaces =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'

/**
 * Lower case as in Go: each character by itself, one for one. JavaScript considers the characters around a capital
 * sigma, and makes two characters of U+0130. Lone surrogates become U+FFFD, as invalid UTF-8 does in Go. Source: Go,
 * `strings.ToLower`
 */
export function goLower(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  return toWellFormed(text).replace(/[^]/gu, (character) => (character === '\u0130' ? 'i' : character.toLowerCase()))
}

/**
 * The text without white space, or other given characters, at its ends. Linear for any text. Source: Go,
 * `strings.TrimSpace`, `strings.Trim`
 */
export function goTrim(text: string, outer: string = goSpaces): string {
  let start = 0
  let end = text.length
  while (start < end && outer.includes(text.charAt(start))) start++
  while (end > start && outer.includes(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** The form in which PicoClaw compares names and ids. */
export function goNormal(text: string): string {
  return goTrim(goLower(text))
}
