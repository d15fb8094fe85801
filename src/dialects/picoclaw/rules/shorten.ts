/** The first code points of a text, and `...` if something was cut. */
export function shorten(text: string, codePoints: number): string {
  // A text has at least as many UTF-16 units as code points, so that short texts need not be scanned.
  if (text.length <= codePoints) return text
  let end = 0
  for (let count = 0; count < codePoints && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return end < text.length ? `${text.slice(0, end)}...` : text
}
