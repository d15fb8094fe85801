import { isObject } from '../../../domain/is-object.ts'

/**
 * Makes a function that gives the text of streamed pieces: a string is its own text, bytes are decoded as UTF-8 across
 * pieces, and an object's text is its `delta`, `text` or `content`, or that of an OpenAI chunk. An object whose `type`
 * says that it belongs to tools or reasoning has no text.
 */
export function createPieceReader(): (piece: unknown) => string {
  const decoder = new TextDecoder()
  return (piece) => {
    if (typeof piece === 'string') return piece
    if (piece instanceof Uint8Array) return decoder.decode(piece, { stream: true })
    if (!isObject(piece)) return ''
    const { type, choices } = piece
    if (typeof type === 'string' && /^(tool|reasoning|thinking)/.test(type)) return ''
    const choice = Array.isArray(choices) ? (choices as readonly unknown[])[0] : undefined
    return textIn(piece) ?? textIn(piece['delta']) ?? (isObject(choice) ? textIn(choice['delta']) : undefined) ?? ''
  }
}

function textIn(value: unknown): string | undefined {
  if (!isObject(value)) return undefined
  const { delta, text, content } = value
  return [delta, text, content].find((one) => typeof one === 'string')
}
