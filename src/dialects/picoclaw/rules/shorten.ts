/** The first code points of a text, and `...` where something was cut. */
export function shorten(text: string, codePoints: number): string {
  // A code point is at most two units, so most texts need not be taken apart.
  if (text.length <= codePoints) return text
  let end = 0
  for (let count = 0; count < codePoints && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return end < text.length ? `${text.slice(0, end)}...` : text
}
