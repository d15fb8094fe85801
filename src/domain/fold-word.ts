/** Accents on letters of Europe. The marks of other scripts are letters in all but name: a Japanese が is no か. */
const accents = /[\u0300-\u036f]/g

/**
 * What a word is compared by: without case, accents, width and ligatures (`Ｓｔｒａßе`, `STRASSE` and `straße` are one). Upper case comes
 * first, because only that way `ß` meets `ss` and the Greek letters for `s` meet each other.
 */
export function foldWord(word: string): string {
  if (/^[\0-\x7f]*$/.test(word)) return word.toLowerCase()
  const folded = word.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD').replace(accents, '').replaceAll('ς', 'σ')
  return folded.normalize('NFKC')
}
