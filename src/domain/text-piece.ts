/**
 * A piece of a text of at most `most` UTF-16 units that splits no surrogate pair. It is meant for encoders, which in
 * browsers copy all of the text they are given, however little of it they use: passing the whole rest each time takes
 * quadratic time.
 */
export function textPiece(text: string, from: number, most: number): string {
  const to = from + most
  if (from === 0 && text.length <= most) return text
  const splitsPair =
    to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(to) & 0xfc00) === 0xdc00
  return text.slice(from, splitsPair ? to - 1 : to)
}
