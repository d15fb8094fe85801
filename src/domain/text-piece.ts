/**
 * A piece of a text of at most so many UTF-16 units, that parts no surrogate pair. For encoders, which in browsers copy all of the text they are
 * given, however little of it they take: to give them the whole rest each time takes as long as the square of its length.
 */
export function textPiece(text: string, from: number, most: number): string {
  const to = from + most
  if (from === 0 && text.length <= most) return text
  const isParting = to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(to) & 0xfc00) === 0xdc00
  return text.slice(from, isParting ? to - 1 : to)
}
