/** Accents on European letters. The marks of other scripts are part of the letter: a Japanese が is not a か. */
const accents = /[\u0300-\u036f]/g

/**
 * The form in which words are compared: without case, accents, width and ligatures (`Ｓｔｒａßе`, `STRASSE` and `straße`
 * are equal). Upper case comes first, because only then `ß` equals `ss`, and the Greek letters for `s` equal each
 * other.
 */
export function foldWord(word: string): string {
  if (/^[\0-\x7f]*$/.test(word)) return word.toLowerCase()
  const folded = word
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(accents, '')
    .replaceAll('ς', 'σ')
  return folded.normalize('NFKC')
}
