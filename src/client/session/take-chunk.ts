import type { DraftChunk, DraftPart } from '../../contract/change.ts'

/** Characters that a piece of a reply adds. */
export function sizeOfPiece(piece: DraftPart): number {
  if (piece.type === 'part') return JSON.stringify(piece.part).length
  return piece.type === 'toolInput' ? piece.input.length : piece.text.length
}

/**
 * Removes characters from the front of a list of pieces, up to a limit. Texts are cut if necessary, but never within a
 * character; a structured part is taken whole, however large it is.
 *
 * @param pieces - at least one
 * @returns the chunk, and its number of characters
 */
export function takeChunk(pieces: DraftPart[], limit: number): { readonly chunk: DraftChunk; readonly taken: number } {
  const parts: DraftPart[] = []
  let taken = 0
  let count = 0
  for (const piece of pieces) {
    const size = sizeOfPiece(piece)
    if (taken + size > limit && piece.type !== 'part') {
      const [head, tail] = cutPiece(piece, limit - taken)
      pieces[count] = tail
      if (head !== undefined) {
        parts.push(head)
        taken += sizeOfPiece(head)
      }
      break
    }
    if (taken > 0 && taken + size > limit) break
    parts.push(piece)
    taken += size
    count++
  }
  pieces.splice(0, count)
  return { chunk: chunkOf(parts), taken }
}

function cutPiece(
  piece: Exclude<DraftPart, { type: 'part' }>,
  room: number,
): [head: DraftPart | undefined, tail: DraftPart] {
  const text = piece.type === 'toolInput' ? piece.input : piece.text
  const at = isHighSurrogate(text.charCodeAt(room - 1)) ? room - 1 : room
  const [before, after] = [text.slice(0, at), text.slice(at)]
  if (piece.type !== 'toolInput') return [at <= 0 ? undefined : { ...piece, text: before }, { ...piece, text: after }]
  return [at <= 0 ? undefined : { ...piece, input: before }, { ...piece, input: after }]
}

/** Whether a code unit is the first half of a character. */
export const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00

/** Uses the plain fields where the order of the parts allows it. */
function chunkOf(parts: readonly DraftPart[]): DraftChunk {
  const [first, second] = parts
  if (first?.type === 'text' && parts.length === 1) return { text: first.text }
  if (first?.type === 'reasoning' && parts.length === 1) return { reasoning: first.text }
  if (first?.type === 'reasoning' && second?.type === 'text' && parts.length === 2)
    return { reasoning: first.text, text: second.text }
  return { parts }
}
