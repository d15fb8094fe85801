/** Makes a reader of streamed pieces: a text is itself, bytes are UTF-8 across pieces, an object's text is its `delta`, `text` or `content`. */
export function createPieceReader(): (piece: unknown) => string {
  const decoder = new TextDecoder()
  return (piece) => {
    if (typeof piece === 'string') return piece
    if (piece instanceof Uint8Array) return decoder.decode(piece, { stream: true })
    const { delta, text, content } = (piece ?? {}) as Readonly<Record<string, unknown>>
    return [delta, text, content].find((value) => typeof value === 'string') ?? ''
  }
}
